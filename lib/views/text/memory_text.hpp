// Shape, strides and memory order of a step, for the tensors of several sequences and heads, whose digits
// alone do not show how they hang together.
#pragma once

#include <string>
#include <vector>

#include "notebook/notebook.hpp"
#include "words/words.hpp"

namespace attn {

// A statement, and what it answers.
struct Exchange {
    std::string statement, answer;

    bool operator==(const Exchange&) const = default;
};

// The shape of a tensor of rank 3 or more, and the strides where the step is one that changes how memory is
// read, NumPy's in bytes. None for a matrix, and in C++, where our tensors lie row by row.
std::vector<Exchange> layout_exchanges(const Notebook& notebook, std::size_t id, Language language);

// For such a step of rank 4, the memory of the first of the batch drawn as a line. A column is `d`
// neighbouring numbers, d being the size of the last axis. Below it are the position it was computed for and,
// for each index along axis 1, the index along axis 2 that reads it. Empty for other steps.
//
//     memory   0  1  2  3  4  5
//     token    0  0  1  1  2  2
//     head 0   0     1     2
//     head 1      0     1     2
std::string memory_drawing(const Notebook& notebook, std::size_t id, const Words& phrases);

}  // namespace attn
