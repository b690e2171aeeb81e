// Cells as a reader names them: `attn_weights[1][0]`, or `attn_weights[journey][Your]`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "stages/trace.hpp"

namespace attn {

struct CellAddress {
    std::size_t node;
    Index index;
};

// The cell of a step, or of a tensor between the steps. An index counts from 0, or from the end when it is
// negative, as in Python; on an axis of tokens a word of the sentence serves as well. A whole number is an
// index, even where a token has the same text. Throws Error for a cell there is none of.
CellAddress find_cell(const StageTrace& trace, std::string_view address);

// The same of a tensor of a notebook that is still being written: the name an address begins with, and its
// index.
std::string name_in(std::string_view address);
Index find_index(const Notebook& notebook, std::size_t node, std::string_view address);

}  // namespace attn
