// Attention without a mask: the function, and the documents' two compact classes of it.
#pragma once

#include <cstddef>

#include "../tensor/linear.hpp"
#include "../tensor/random.hpp"
#include "../tensor/tensor.hpp"

namespace attn {

// softmax(queries keysᵀ / √d_k) values: (…, n, d_k), (…, m, d_k), (…, m, d_v) → (…, n, d_v). Throws Error
// when the shapes do not fit together.
Tensor scaled_dot_product_attention(const Tensor& queries, const Tensor& keys, const Tensor& values);

// Projections by plain matrices, uniform in [0, 1).
//     attn:  Generator generator(123);  SelfAttentionV1 attention(generator, 3, 2);
//     torch: torch.manual_seed(123);    attention = SelfAttention_v1(3, 2)
class SelfAttentionV1 {
public:
    // Draws the query's matrix, then the key's, then the value's: torch.rand(d_in, d_out) each.
    SelfAttentionV1(Generator& generator, std::size_t d_in, std::size_t d_out);

    // (n, d_in) → (n, d_out). Throws Error when x has another rank or width. torch: attention(x)
    Tensor operator()(const Tensor& x) const;

    Tensor W_query, W_key, W_value;  // (d_in, d_out) each
};

// Projections by torch.nn.Linear.
//     attn:  Generator generator(789);  SelfAttentionV2 attention(generator, 3, 2);
//     torch: torch.manual_seed(789);    attention = SelfAttention_v2(3, 2)
class SelfAttentionV2 {
public:
    // Draws the query's layer, then the key's, then the value's: torch.nn.Linear(d_in, d_out, bias=qkv_bias)
    // each.
    SelfAttentionV2(Generator& generator, std::size_t d_in, std::size_t d_out, bool qkv_bias = false);

    // (n, d_in) → (n, d_out). Throws Error when x has another rank or width. torch: attention(x)
    Tensor operator()(const Tensor& x) const;

    Linear W_query, W_key, W_value;
};

}  // namespace attn
