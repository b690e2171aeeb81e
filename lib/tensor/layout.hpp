// Functions that create tensors from sizes, or move numbers without changing them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tensor.hpp"

namespace attn {

// torch.full(shape, value)
Tensor full(const Shape& shape, float value);

// torch.ones(shape)
Tensor ones(const Shape& shape);

// (n,) → (n, n): x on the diagonal, 0 elsewhere. Throws Error unless x is a vector. torch.diag(x)
Tensor diag(const Tensor& x);

// The lower triangle of the last two axes: 0 where column > row + diagonal. Throws Error when x has fewer
// than two axes. torch.tril(x, diagonal)
Tensor tril(const Tensor& x, int diagonal = 0);

// The upper triangle of the last two axes: 0 where column < row + diagonal. torch.triu(x, diagonal)
Tensor triu(const Tensor& x, int diagonal = 0);

// The same numbers in the same order, with a different shape. Throws Error when the new shape has a different
// number of elements. torch: x.view(shape)
Tensor view(const Tensor& x, const Shape& shape);

// (a, b, …) → (…): the part of x at the given leading indices. Throws Error when an index is out of range.
// torch: x[i], x[i, j]
Tensor select(const Tensor& x, const std::vector<std::size_t>& leading);

// (…, n, …) → (…, k, …): the elements from `start` up to but not including `end`. The rules are Python's: a
// missing bound is open, a negative bound counts from the end, and both are limited to the size. Throws Error
// when x has no axis `dim`.
//     attn:  slice(x, 0, 2, 5)     slice(x, -1, {}, -1)
//     torch: x[2:5]                x[..., :-1]
Tensor slice(const Tensor& x, int dim, std::optional<std::int64_t> start,
             std::optional<std::int64_t> end = std::nullopt);

// Joins tensors of the same shape along a new first axis. Throws Error when `parts` is empty, the shapes
// differ, or they already have five axes. torch.stack(parts)
Tensor stack(const std::vector<Tensor>& parts);

// Joins tensors along an existing axis. Throws Error if `parts` is empty, or if sizes along other axes
// differ. torch.cat(parts, dim)
Tensor cat(const std::vector<Tensor>& parts, int dim);

// (…, n, …) → (…, n · repeats, …): repeats each element along the axis, so that a b becomes a a b b. Throws
// Error when x has no axis `dim`. torch: x.repeat_interleave(repeats, dim)
Tensor repeat_interleave(const Tensor& x, std::size_t repeats, int dim);

// Repeats the whole tensor along each axis, so that a b becomes a b a b. Throws Error unless `repeats` has
// one number for each axis of x. torch: x.repeat(1, 2, 1, 1)
Tensor repeat(const Tensor& x, const std::vector<std::size_t>& repeats);

// Exchanges two axes and moves the numbers into row-major order. Throws Error when x has no such axes. torch:
// x.transpose(dim0, dim1).contiguous()
Tensor transpose(const Tensor& x, int dim0, int dim1);

}  // namespace attn
