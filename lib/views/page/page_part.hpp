// Which part of a tensor a page shows, how its numbers are written and which colour each has. Tables, data
// and script all go by it.
#pragma once

#include <string>
#include <vector>

#include "tensor/tensor.hpp"
#include "views/heatmap/shading.hpp"

namespace attn {

// Up to 64 rows or columns are shown, of more the first 32; of batches and heads the first 16.
Shape shown_part(const Shape& shape);

// The places of the numbers shown, the last axis fastest.
std::vector<Index> shown_cells(const Shape& shape);

// The class of a number in the stylesheet: "m" when it is masked, "x" when it is dropped, "n" for what else
// is not finite, "z" for 0, a0 to a63 along the sequential scale and b0 to b63 along the diverging one.
std::string colour_class(const Shading& shading, std::size_t place, float value);

}  // namespace attn
