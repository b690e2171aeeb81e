// How one cell came about, as lines of arithmetic down to the named tensors its code line mentions.
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

// One piece of arithmetic, and what it comes to. Its cells are those of named tensors, by their nodes.
struct DerivationLine {
    std::size_t node;       // whose cell it computes, or helps to compute
    Index index;            // of that cell; of a part, the one it is about
    std::string_view part;  // which part of the operation's explanation; empty: it computes the cell
    Expr arithmetic;
    double value;
};

// Why a cell is what it is, where arithmetic does not say: a reason of an operation's row, its facts looked
// up.
struct CellReason {
    struct Known {
        std::string_view name;
        double value = 0.0;
        std::string text = {};  // instead of a value
        std::size_t node = 0;   // of a cell, named or not
        Index index{};
        bool is_cell = false;
    };

    std::string_view id;
    std::vector<Known> facts;
    std::size_t node;  // whose row gave the reason
    Index index;       // for this cell
};

struct Derivation {
    std::vector<DerivationLine> lines;  // the last computes the cell
    std::vector<CellReason> reasons;
};

// Inlines short operands; longer ones get lines of their own. With a limit, a longer sum breaks off in the
// last line, with NaN for "…", and a longer product elsewhere is written as its value.
Derivation derive(const Notebook& notebook, std::size_t node, const Index& cell,
                  std::optional<std::size_t> most_terms = {});

}  // namespace attn
