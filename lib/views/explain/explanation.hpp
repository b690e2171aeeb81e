// Why a cell holds its number: its derivation, and those of the cells it was derived from, as deep as asked.
#pragma once

#include <cstddef>
#include <vector>

#include "views/explain/derivation.hpp"

namespace attn {

struct ExplainedCell {
    std::size_t node;  // a named tensor
    Index index;
    Derivation derivation;
    std::vector<std::size_t> operands;  // those explained too: where among the cells, in order of mention
};

// The cell asked for comes first. A cell that several others use is explained once.
using Explanations = std::vector<ExplainedCell>;

// `depth` 1 explains the cell alone, 2 the named cells it was derived from as well, and so on. Terms that a
// shown line leaves out are not followed. Throws Error when that would be more cells than anyone reads.
Explanations explain(const Notebook& notebook, std::size_t node, const Index& cell, std::size_t depth);

}  // namespace attn
