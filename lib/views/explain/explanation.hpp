// Explains a cell: its derivation, and those of the cells it was derived from, down to a given depth.
#pragma once

#include <cstddef>
#include <vector>

#include "views/explain/derivation.hpp"

namespace attn {

struct ExplainedCell {
    std::size_t node;  // the node of a named tensor
    Index index;
    Derivation derivation;
    std::vector<std::size_t> operands;  // indices of the explained cells that this one uses, in order
};

// The requested cell comes first. A cell that several others use is explained once.
using Explanations = std::vector<ExplainedCell>;

// `depth` 1 explains only the cell, 2 also the named cells it was derived from, and so on. Terms that a shown
// line leaves out are not followed. Throws Error when there would be too many cells to read.
Explanations explain(const Notebook& notebook, std::size_t node, const Index& cell, std::size_t depth);

}  // namespace attn
