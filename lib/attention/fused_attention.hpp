// Causal attention that never holds the n × n scores: it goes over the keys block by block, with a running
// maximum and sum per query. Its memory grows as n·d.
#pragma once

#include <cstddef>

#include "../tensor/tensor.hpp"
#include "../tensor/threads.hpp"

namespace attn {

// softmax(queries keysᵀ / √d_k, the future masked) values, for heads side by side in each row:
// (…, n, num_heads·d_k), (…, n, num_heads·d_k), (…, n, num_heads·d_v) → (…, n, num_heads·d_v). Heads that
// have tensors of their own, (num_heads, n, d_k), are leading sizes and num_heads 1. Throws Error when the
// shapes do not fit together.
//
// Close to softmax and matmul one after the other, but not their bits: its order of summation, which
// fused_kernel.cpp begins with as a plain loop, is its own. The bits depend on neither level nor threads.
// torch: F.scaled_dot_product_attention(queries, keys, values, is_causal=True)
Tensor fused_causal_attention(const Tensor& queries, const Tensor& keys, const Tensor& values,
                              std::size_t num_heads = 1, std::size_t threads = num_threads());

// The same for queries, keys and values side by side in each row, as one layer makes them all: (…, n, 3·d) →
// (…, n, d). Throws Error when there are no such thirds, or the heads do not divide them.
//     attn:  const Linear c_attn(generator, 768, 3 * 768);  fused_causal_attention(c_attn(x), 12)
//     torch: q, k, v = c_attn(x).split(768, dim=-1), as GPT-2 does, and then as above
Tensor fused_causal_attention(const Tensor& side_by_side, std::size_t num_heads,
                              std::size_t threads = num_threads());

}  // namespace attn
