// The derivation of one cell: lines of arithmetic with the cells of the named tensors that its code mentions.
// arithmetic_text.hpp writes these lines with numbers.
#pragma once

#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "notebook/expression.hpp"
#include "notebook/notebook.hpp"

namespace attn {

// One line of arithmetic and its result. Its cells belong to named tensors, by their nodes.
struct DerivationLine {
    std::size_t node;       // the node whose cell the line helps to compute
    Index index;            // the index of this cell, or of the part's cell
    std::string_view part;  // the part of the operation's explanation; empty if the line computes the cell
    Expr arithmetic;
    double value;
    std::size_t zeros = 0;   // how many terms are left out because they are 0
    std::size_t summed = 0;  // how many terms their sum replaces
};

// A reason for a cell's value that arithmetic does not show. It comes from an operation's row; the cells of
// its facts have their values, and the ids of their nodes, which may have no name.
struct CellReason {
    Reason reason;
    std::size_t node;  // the node whose row gave the reason
    Index index;       // the cell in question
};

struct Derivation {
    std::vector<DerivationLine> lines;  // the last line computes the cell
    std::vector<CellReason> reasons;
};

// Explanations of a notebook's cells. They are kept, because many are needed again, and repeating a random
// number can take a million draws. Long ones, such as the softmax of a long row, are kept while there are
// few.
struct KnownCells {
    using Key = std::pair<std::size_t, std::size_t>;  // node, offset

    std::map<Key, Explanation> explanations;
    std::map<std::size_t, Sources> sources;
    std::size_t long_ones = 0;  // the numbers of the long ones that are kept
};

// Derives a cell. Short operands are written into the line that uses them; longer ones get their own lines.
Derivation derive(const Notebook& notebook, std::size_t node, const Index& cell, KnownCells& known);

}  // namespace attn
