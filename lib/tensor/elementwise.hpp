// Arithmetic number by number. Two operands broadcast as in PyTorch: shapes align at the last axis, and an
// axis of size 1 serves every index of the other operand.
#pragma once

#include "tensor.hpp"

namespace attn {

// The index in an operand of the number that serves `index` of the broadcast result.
Index broadcast_index(const Shape& operand, const Shape& result, const Index& index);

// (…) ∘ (…) → the broadcast shape. Throw Error when the shapes do not broadcast. torch: a + b, a - b, a * b,
// a / b
Tensor add(const Tensor& a, const Tensor& b);
Tensor sub(const Tensor& a, const Tensor& b);
Tensor mul(const Tensor& a, const Tensor& b);
Tensor div(const Tensor& a, const Tensor& b);

// a − alpha · b of one shape, rounded once, as PyTorch's optimisers step. Throws Error when the shapes
// differ. torch.sub(a, b, alpha=alpha)
Tensor sub(const Tensor& a, const Tensor& b, double alpha);

// The number is rounded to float32 first, as PyTorch does with a Python scalar. torch: x * 0.5, x / 2**0.5
Tensor mul(const Tensor& x, double by);
Tensor div(const Tensor& x, double by);

// The larger of each two; shapes broadcast, and NaN wins. Throws Error when they do not. torch.maximum(a, b)
Tensor maximum(const Tensor& a, const Tensor& b);

// torch.abs(x)
Tensor abs(const Tensor& x);

// torch.sqrt(x)
Tensor sqrt(const Tensor& x);

// torch.exp(x), bit for bit
Tensor exp(const Tensor& x);

// 1 where x is that number, else 0; where it is not. torch: x == 0, x != 0
Tensor eq(const Tensor& x, float other);
Tensor ne(const Tensor& x, float other);

// 1 where a is not above b, else 0; shapes broadcast, and NaN is at most nothing. Throws Error when they do
// not. torch: a <= b
Tensor le(const Tensor& a, const Tensor& b);

// `value` where the mask is not 0, else x. Throws Error when the mask does not broadcast to x. torch:
// x.masked_fill(mask.bool(), value)
Tensor masked_fill(const Tensor& x, const Tensor& mask, float value);

}  // namespace attn
