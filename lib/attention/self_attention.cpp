// Both classes end in the same three lines; they differ in how they project.
#include "attention/self_attention.hpp"

#include <cmath>

#include "attention/parts.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"
#include "tensor/softmax.hpp"

namespace attn {

Tensor scaled_dot_product_attention(const Tensor& queries, const Tensor& keys, const Tensor& values) {
    require_heads("scaled_dot_product_attention", queries, keys, values);
    const Tensor attn_scores = matmul(queries, transpose(keys, -2, -1));
    const double root_dk = std::sqrt(static_cast<double>(keys.size(-1)));
    const Tensor attn_weights = softmax(div(attn_scores, root_dk), -1);
    return matmul(attn_weights, values);
}

// Members are drawn in the order in which they are declared.
SelfAttentionV1::SelfAttentionV1(Generator& generator, std::size_t d_in, std::size_t d_out)
    : W_query(rand(generator, {d_in, d_out})),
      W_key(rand(generator, {d_in, d_out})),
      W_value(rand(generator, {d_in, d_out})) {}

Tensor SelfAttentionV1::operator()(const Tensor& x) const {
    require_rank("SelfAttentionV1", x, 2, "(tokens, d_in)");
    return scaled_dot_product_attention(matmul(x, W_query), matmul(x, W_key), matmul(x, W_value));
}

SelfAttentionV2::SelfAttentionV2(Generator& generator, std::size_t d_in, std::size_t d_out, bool qkv_bias)
    : W_query(generator, d_in, d_out, qkv_bias),
      W_key(generator, d_in, d_out, qkv_bias),
      W_value(generator, d_in, d_out, qkv_bias) {}

Tensor SelfAttentionV2::operator()(const Tensor& x) const {
    require_rank("SelfAttentionV2", x, 2, "(tokens, d_in)");
    return scaled_dot_product_attention(W_query(x), W_key(x), W_value(x));
}

}  // namespace attn
