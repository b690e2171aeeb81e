// Tensors made from nothing but sizes, and the same numbers in another place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "tensor.hpp"

namespace attn {

// torch.full(shape, value)
Tensor full(const Shape& shape, float value);

// torch.ones(shape)
Tensor ones(const Shape& shape);

// (n,) → (n, n): the numbers along the diagonal, 0 elsewhere. Throws Error unless x is a vector.
// torch.diag(x)
Tensor diag(const Tensor& x);

// The lower triangle: 0 where column > row + diagonal. The last two axes are row and column. Throws Error
// when there are none. torch.tril(x, diagonal)
Tensor tril(const Tensor& x, int diagonal = 0);

// The upper triangle: 0 where column < row + diagonal. torch.triu(x, diagonal)
Tensor triu(const Tensor& x, int diagonal = 0);

// The same numbers in the same order under another shape. Throws Error when the counts differ. torch:
// x.view(shape)
Tensor view(const Tensor& x, const Shape& shape);

// (a, b, …) → (…): what stands at the leading indices. Throws Error when one is out of range. torch: x[i],
// x[i, j]
Tensor select(const Tensor& x, const std::vector<std::size_t>& leading);

// (…, n, …) → (…, k, …), from start up to end. The rules are those of Python's slices: a missing end is open,
// a negative one counts from the end, and both are clipped to the size. Throws Error when there is no such
// axis.
//     attn:  slice(x, 0, 2, 5)     slice(x, -1, {}, -1)
//     torch: x[2:5]                x[..., :-1]
Tensor slice(const Tensor& x, int dim, std::optional<std::int64_t> start,
             std::optional<std::int64_t> end = std::nullopt);

// Tensors of one shape along a new first axis. Throws Error when there is none, or shapes differ.
// torch.stack(parts)
Tensor stack(std::span<const Tensor* const> parts);
Tensor stack(std::initializer_list<Tensor> parts);

// Tensors side by side along an axis, along which alone their sizes may differ. Throws Error when there is
// none, or other sizes differ. torch.cat(parts, dim)
Tensor cat(std::span<const Tensor* const> parts, int dim);
Tensor cat(std::initializer_list<Tensor> parts, int dim);

// (…, n, …) → (…, n · repeats, …): each part along the axis as often in a row: a a b b. Throws Error when
// there is no such axis. x.repeat_interleave(repeats, dim)
Tensor repeat_interleave(const Tensor& x, std::size_t repeats, int dim);

// The whole tensor side by side, as often along each axis: a b a b. Throws Error when a number is missing.
// torch: x.repeat(1, 2, 1, 1)
Tensor repeat(const Tensor& x, const std::vector<std::size_t>& repeats);

// The two axes exchanged, the numbers moved into row-major order. Throws Error when there are no such axes.
// torch: x.transpose(dim0, dim1).contiguous()
Tensor transpose(const Tensor& x, int dim0, int dim1);

}  // namespace attn
