// Sums along an axis.
#pragma once

#include <span>

#include "tensor/tensor.hpp"

namespace attn {

// Sum of adjacent numbers in the order of PyTorch's cascade (aten/src/ATen/native/cpu/SumKernel.cpp).
float sum(std::span<const float> values);

// (…, m) → (…, 1). torch: x.sum(dim=-1, keepdim=True)
Tensor row_sums(const Tensor& x);

}  // namespace attn
