// Causal attention without the n × n matrix of scores: it processes the keys block by block, with a running
// maximum and sum per query. Its memory grows as n·d.
#pragma once

#include <cstddef>

#include "../tensor/tensor.hpp"
#include "../tensor/threads.hpp"

namespace attn {

// softmax(queries keysᵀ / √d_k, the future masked) values, for heads side by side in each row:
// (…, n, num_heads·d_k), (…, n, num_heads·d_k), (…, n, num_heads·d_v) → (…, n, num_heads·d_v).
// If each head is a separate matrix, (num_heads, n, d_k), pass num_heads = 1. Throws Error when the shapes do
// not fit together.
//
// The last bits may differ from those of softmax and matmul, because sums are added in a different order; see
// fused_kernel.cpp. The instruction set level and the number of threads do not change the bits. torch:
// F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
Tensor fused_causal_attention(const Tensor& queries, const Tensor& keys, const Tensor& values,
                              std::size_t num_heads = 1, std::size_t threads = num_threads());

}  // namespace attn
