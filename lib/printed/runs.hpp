// Joins tensors that were printed piece by piece: row by row, or number by number.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "printed/lines.hpp"
#include "printed/tensor.hpp"

namespace attn {

// A tensor and its place in the text.
struct PlacedTensor {
    PrintedTensor tensor;
    std::size_t line;   // index of the line where the tensor begins
    std::size_t begin;  // position in the text
    std::size_t end;
    std::size_t last_line;
};

// Joins vectors of the same length on successive lines if their labels count (`row 0: […]`), or if there are
// at least four of them. Also joins three or more neighbouring single numbers.
std::vector<PrintedTensor> join_runs(std::vector<PlacedTensor> placed, std::string_view text,
                                     const std::vector<Line>& lines);

}  // namespace attn
