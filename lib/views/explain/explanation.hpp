// Explains a cell: how it is derived, and how the cells that it uses are derived, down to a given depth.
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

// `depth` 1 explains only the cell, 2 also the named cells that it uses, and so on. Cells in terms that are
// left out of a line are not explained. Throws Error if there would be too many cells to read.
Explanations explain(const Notebook& notebook, std::size_t node, const Index& cell, std::size_t depth);

}  // namespace attn
