// Sums, means and largest numbers, of a whole tensor or along an axis. -1 is the last axis; the axis vanishes
// from the result unless keepdim has it stay with size 1.
#pragma once

#include "tensor.hpp"

namespace attn {

// (…) → (): all numbers; 0 of none. torch: x.sum()
Tensor sum(const Tensor& x);

// (…, m, …) → (…, …) or (…, 1, …). Throws Error when there is no such axis. torch: x.sum(dim, keepdim)
Tensor sum(const Tensor& x, int dim, bool keepdim = false);

// (…) → (): their sum, divided by how many there are. torch: x.mean()
Tensor mean(const Tensor& x);

// The same, divided by m: NaN of no numbers. torch: x.mean(dim, keepdim)
Tensor mean(const Tensor& x, int dim, bool keepdim = false);

// (…) → (): the largest of all numbers; NaN wins. Throws Error when there are none. torch: x.amax()
Tensor amax(const Tensor& x);

// (…, m, …) → (…, …) or (…, 1, …). Throws Error when there is no such axis, or no number along it. torch:
// x.amax(dim, keepdim)
Tensor amax(const Tensor& x, int dim, bool keepdim = false);

}  // namespace attn
