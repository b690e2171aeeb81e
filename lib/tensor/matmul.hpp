// The product of matrices, in the order of summation that PyTorch's digits come from.
#pragma once

#include "tensor.hpp"

namespace attn {

// (n, k) × (k, m) → (n, m); (…, n, k) × (k, m) → (…, n, m); (…, n, k) × (…, k, m) → (…, n, m) with equal
// leading sizes; a vector on the left is a row, on the right a column, and its axis vanishes from the result.
// Throws Error when the inner sizes differ. torch.matmul(a, b), a @ b
//
// k ascending, one fused multiply-add per term. A batch of matrices of fewer than 400 multiply-adds each
// takes PyTorch's own small loop instead (aten/src/ATen/native/LinearAlgebra.cpp), which rounds the product,
// then the sum.
Tensor matmul(const Tensor& a, const Tensor& b);

// (…, k), (m, k), (m,) or nullptr → (…, m): x Wᵀ + b. Throws Error when x has another width.
// torch.nn.functional.linear(x, weight, bias)
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor* bias);

// (n,) · (n,) → (). The products are rounded to float32 and summed in double, as OpenBLAS does below 32
// numbers. Throws Error when the lengths differ. torch.dot(a, b)
Tensor dot(const Tensor& a, const Tensor& b);

}  // namespace attn
