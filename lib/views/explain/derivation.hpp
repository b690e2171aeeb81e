// The derivation of one cell: lines of arithmetic down to the named tensors that its code line mentions.
// arithmetic_text.hpp formats these lines with numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "notebook/expression.hpp"
#include "notebook/notebook.hpp"

namespace attn {

// One line of arithmetic and its result. Its cells belong to named tensors, by their nodes.
struct DerivationLine {
    std::size_t node;       // the node whose cell it helps to compute
    Index index;            // the index of that cell, or of the cell of the part
    std::string_view part;  // the part of the operation's explanation; empty: the line computes the cell
    Expr arithmetic;
    double value;
};

// A reason for a cell's value that arithmetic does not show: from an operation's row, with its facts filled
// in.
struct CellReason {
    struct Known {
        std::string_view name;
        double value = 0.0;
        std::string text = {};  // the fact as text, if it is not a number
        std::size_t node = 0;   // the node of the fact's cell; it may have no name
        Index index{};
        bool is_cell = false;
    };

    std::string_view id;
    std::vector<Known> facts;
    std::size_t node;  // the node whose row gave the reason
    Index index;       // the cell in question
};

struct Derivation {
    std::vector<DerivationLine> lines;  // the last line computes the cell
    std::vector<CellReason> reasons;
};

// Derives a cell. Short operands are inserted; longer ones get lines of their own. With a limit, a longer sum
// ends early in the last line, with NaN for "…", and a longer product elsewhere is written as its value.
Derivation derive(const Notebook& notebook, std::size_t node, const Index& cell,
                  std::optional<std::size_t> most_terms = {});

}  // namespace attn
