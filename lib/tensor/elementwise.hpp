// Elementwise arithmetic. Two operands broadcast as in PyTorch: shapes are aligned at the last axis, and an
// axis of size 1 is repeated.
#pragma once

#include "tensor.hpp"

namespace attn {

// Returns the index of the operand's number that is used for the number at `index` of the result.
Index broadcast_index(const Shape& operand, const Shape& result, const Index& index);

// (…) ∘ (…) → the broadcast shape. The functions throw Error if the shapes do not broadcast. torch: a + b, a
// - b, a * b, a / b
Tensor add(const Tensor& a, const Tensor& b);
Tensor sub(const Tensor& a, const Tensor& b);
Tensor mul(const Tensor& a, const Tensor& b);
Tensor div(const Tensor& a, const Tensor& b);

// Computes a − alpha · b with one rounding, as PyTorch's optimisers do. Throws Error when the shapes differ.
// torch.sub(a, b, alpha=alpha)
Tensor sub(const Tensor& a, const Tensor& b, double alpha);

// Like PyTorch with a Python number, these first round `by` to float32. torch: x * 0.5, x / 2**0.5
Tensor mul(const Tensor& x, double by);
Tensor div(const Tensor& x, double by);

// The elementwise maximum; NaN if an operand is NaN. Throws Error when the shapes do not broadcast.
// torch.maximum(a, b)
Tensor maximum(const Tensor& a, const Tensor& b);

// torch.abs(x)
Tensor abs(const Tensor& x);

// torch.sqrt(x)
Tensor sqrt(const Tensor& x);

// torch.exp(x), bit for bit
Tensor exp(const Tensor& x);

// eq gives 1 where x equals `other` and 0 elsewhere; ne is its opposite. torch: x == 0, x != 0
Tensor eq(const Tensor& x, float other);
Tensor ne(const Tensor& x, float other);

// 1 where a ≤ b, otherwise 0; also 0 if an operand is NaN. Throws Error when the shapes do not broadcast.
// torch: a <= b
Tensor le(const Tensor& a, const Tensor& b);

// Replaces the numbers of x by `value` where the mask is not 0. Throws Error when the mask does not broadcast
// to x. torch: x.masked_fill(mask.bool(), value)
Tensor masked_fill(const Tensor& x, const Tensor& mask, float value);

}  // namespace attn
