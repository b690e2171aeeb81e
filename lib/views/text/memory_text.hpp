// Shape, strides and memory order of a step. With several sequences and heads, the printed numbers do not
// show which of them belong together.
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

// Returns the shape of a tensor of rank 3 or more, and the strides if the step changes how memory is read;
// NumPy's are in bytes. Returns nothing for a matrix, and in C++, where our tensors are always row-major.
std::vector<Exchange> layout_exchanges(const Notebook& notebook, std::size_t id, Language language);

// Draws the memory of the first of the batch, for such a step of rank 4. A column stands for `d` neighbouring
// numbers, where d is the size of the last axis. The line `token` gives the token from which each column was
// computed. Then follows a line for each head, with the token that reads the column. Returns an empty text
// for other steps.
//
//     memory   0  1  2  3  4  5
//     token    0  0  1  1  2  2
//     head 0   0     1     2
//     head 1      0     1     2
std::string memory_drawing(const Notebook& notebook, std::size_t id, const Words& phrases);

}  // namespace attn
