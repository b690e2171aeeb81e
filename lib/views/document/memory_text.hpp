// Shape, strides and memory order of a step. They show which numbers belong together if there are several
// sequences and heads.
#pragma once

#include <string>
#include <vector>

#include "notebook/notebook.hpp"
#include "words/words.hpp"

namespace attn {

// A statement and its output.
struct Exchange {
    std::string statement, answer;

    bool operator==(const Exchange&) const = default;
};

// Returns lines about the shape of a tensor of rank 3 or more, and about its strides if the step changes
// them; NumPy's strides are in bytes. Returns nothing for a matrix, or for C++, because our tensors are
// always row-major.
std::vector<Exchange> layout_exchanges(const Notebook& notebook, std::size_t id, Language language);

// Draws the memory of the first sequence, for a step of rank 4 that changes strides; for other steps, returns
// an empty text. A column stands for `d` neighbouring numbers, where d is the size of the last axis. The line
// `token` says from which token each column was computed. A line for each head says which token reads the
// column.
//
//     memory   0  1  2  3  4  5
//     token    0  0  1  1  2  2
//     head 0   0     1     2
//     head 1      0     1     2
std::string memory_drawing(const Notebook& notebook, std::size_t id, const Words& phrases);

}  // namespace attn
