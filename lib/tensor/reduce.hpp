// Sums along an axis.
#pragma once

#include <span>

#include "tensor.hpp"

namespace attn {

// Sum of adjacent numbers in the order of PyTorch's cascade (aten/src/ATen/native/cpu/SumKernel.cpp).
float sum(std::span<const float> values);

// The largest of at least one number; NaN wins, as in PyTorch.
float maximum(std::span<const float> values);

// (…) → (): all numbers. torch: x.sum()
Tensor sum(const Tensor& x);

// (…) → (): the largest of all numbers; NaN wins. torch: x.amax()
Tensor largest(const Tensor& x);

// (…, m) → (…,): the largest of each row; NaN wins. torch: x.amax(dim=-1)
Tensor row_maxima(const Tensor& x);

// (…, m) → (…,). torch: x.mean(dim=-1)
Tensor row_means(const Tensor& x);

// (…, m) → (…, 1). torch: x.sum(dim=-1, keepdim=True)
Tensor row_sums(const Tensor& x);

}  // namespace attn
