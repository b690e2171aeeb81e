// Heads that lie side by side in each row, and heads with matrices of their own.
#pragma once

#include <cstddef>

#include "tensor/tensor.hpp"

namespace attn {

// (b, n, num_heads · d) → (b, num_heads, n, d). torch: x.view(b, n, num_heads, d).transpose(1, 2)
Tensor split_heads(const Tensor& x, std::size_t num_heads);

// (b, num_heads, n, d) → (b, n, num_heads · d)
Tensor merge_heads(const Tensor& x);

}  // namespace attn
