// Arithmetic number by number. Two operands broadcast as in PyTorch: shapes align at the last axis, and an
// axis of size 1 serves every index of the other operand.
#pragma once

#include "tensor.hpp"

namespace attn {

// The index in an operand of the number that serves `index` of the broadcast result.
Index broadcast_index(const Shape& operand, const Shape& result, const Index& index);

// (…) ∘ (…) → the broadcast shape. Throw when the shapes do not broadcast. torch: a + b, a - b, a * b, a / b
Tensor add(const Tensor& a, const Tensor& b);
Tensor subtract(const Tensor& a, const Tensor& b);
Tensor multiply(const Tensor& a, const Tensor& b);
Tensor divide(const Tensor& a, const Tensor& b);

// The number is rounded to float32 first, as PyTorch does with a Python scalar. torch: a / 2**0.5
Tensor divide(const Tensor& x, double by);

// The number is rounded to float32 first. torch: x * 0.5
Tensor multiply(const Tensor& x, double by);

// The larger of each two; shapes broadcast, and NaN wins. torch.maximum(a, b)
Tensor maximum(const Tensor& a, const Tensor& b);

// torch.abs(x)
Tensor abs(const Tensor& x);

// torch.sqrt(x)
Tensor square_root(const Tensor& x);

// torch.exp(x), bit for bit
Tensor exp(const Tensor& x);

// 1 where x is not that number, else 0. torch: x != 0, x.bool()
Tensor not_equal(const Tensor& x, float to);

// 1 where x is that number, else 0. torch: x == 0
Tensor equal(const Tensor& x, float to);

// 1 where a is not above b, else 0; shapes broadcast, and NaN is at most nothing. torch: a <= b
Tensor at_most(const Tensor& a, const Tensor& b);

// `value` where the mask (broadcast to x) is not 0, else x. torch: x.masked_fill(mask.bool(), value)
Tensor masked_fill(const Tensor& x, const Tensor& mask, float value);

}  // namespace attn
