// Tensors made from nothing but sizes, and the same numbers in another place.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>

#include "tensor.hpp"

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

// The same numbers in the same order under another shape. Throws when the counts differ. torch: x.view(shape)
Tensor view(const Tensor& x, const Shape& shape);

// (a, b, …) → (…): what stands at the leading indices. Throws when one is out of range. torch: x[i], x[i, j]
Tensor select(const Tensor& x, std::span<const std::size_t> leading);
Tensor select(const Tensor& x, std::initializer_list<std::size_t> leading);

// (n, m) → (rows, columns): the upper left corner. Throws when it is larger than x. torch: x[:rows, :columns]
Tensor corner(const Tensor& x, std::size_t rows, std::size_t columns);

// (n, …) → (to − from, …): some of the rows. Throws when there are not so many. torch: x[from:to]
Tensor slice(const Tensor& x, std::size_t from, std::size_t to);

// Tensors of one shape along a new first axis. Throws when there is none, or shapes differ.
// torch.stack(parts)
Tensor stack(std::span<const Tensor* const> parts);
Tensor stack(std::initializer_list<Tensor> parts);

// Tensors side by side along an existing axis, along which alone their sizes may differ. torch.cat(parts,
// dim=axis)
Tensor cat(std::span<const Tensor* const> parts, int axis);
Tensor cat(std::initializer_list<Tensor> parts, int axis);

// The two axes exchanged, the numbers moved into row-major order. torch: x.transpose(a, b).contiguous()
Tensor transpose(const Tensor& x, int a, int b);

}  // namespace attn
