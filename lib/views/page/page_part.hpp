// The part of a tensor that a page shows.
#pragma once

#include <vector>

#include "tensor/tensor.hpp"

namespace attn {

// Returns the shape of the part: up to 64 rows or columns, only 32 if there are more, and the first 16
// batches and heads.
Shape shown_part(const Shape& shape);

// Returns the indices of the shown numbers, the last axis fastest.
std::vector<Index> shown_cells(const Shape& shape);

}  // namespace attn
