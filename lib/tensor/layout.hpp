// Tensors made from nothing but sizes, and the same numbers in another place.
#pragma once

#include "tensor/tensor.hpp"

namespace attn {

// torch.full(shape, value)
Tensor full(const Shape& shape, float value);

// torch.ones(shape)
Tensor ones(const Shape& shape);

// The lower triangle: 0 where column > row + diagonal. The last two axes are row and column. torch.tril(x,
// diagonal)
Tensor tril(const Tensor& x, int diagonal = 0);

// The upper triangle: 0 where column < row + diagonal. torch.triu(x, diagonal)
Tensor triu(const Tensor& x, int diagonal = 0);

// The two axes exchanged, the numbers moved into row-major order. torch: x.transpose(a, b).contiguous()
Tensor transpose(const Tensor& x, int a, int b);

}  // namespace attn
