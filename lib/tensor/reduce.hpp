// Sums, means and maxima of a whole tensor or along an axis. -1 means the last axis. The result lacks the
// axis, or has it with size 1 if keepdim is true.
#pragma once

#include "tensor.hpp"

namespace attn {

// (…) → (): the sum of all numbers; 0 if x is empty. torch: x.sum()
Tensor sum(const Tensor& x);

// (…, m, …) → (…, …) or (…, 1, …). Throws Error when x has no such axis. torch: x.sum(dim, keepdim)
Tensor sum(const Tensor& x, int dim, bool keepdim = false);

// (…, n · count, …) → (…, n, …): adds each `count` neighbours along an axis. Throws Error when x has no such
// axis. torch: x.unflatten(dim, (-1, count)).sum(dim + 1)
Tensor sum_groups(const Tensor& x, std::size_t count, int dim);

// (…) → (): the mean of all numbers. torch: x.mean()
Tensor mean(const Tensor& x);

// (…, m, …) → (…, …) or (…, 1, …): the sums divided by m, NaN if m is 0. torch: x.mean(dim, keepdim)
Tensor mean(const Tensor& x, int dim, bool keepdim = false);

// (…) → (): the largest number, or NaN if any is NaN. Throws Error when x is empty. torch: x.amax()
Tensor amax(const Tensor& x);

// (…, m, …) → (…, …) or (…, 1, …). Throws Error when x has no such axis, or m is 0. torch: x.amax(dim,
// keepdim)
Tensor amax(const Tensor& x, int dim, bool keepdim = false);

}  // namespace attn
