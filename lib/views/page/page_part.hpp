// Which part of a tensor a page shows.
#pragma once

#include <vector>

#include "tensor/tensor.hpp"

namespace attn {

// Up to 64 rows or columns are shown, of more the first 32; of batches and heads the first 16.
Shape shown_part(const Shape& shape);

// The places of the numbers shown, the last axis fastest.
std::vector<Index> shown_cells(const Shape& shape);

}  // namespace attn
