#include "attention/causal_attention.hpp"

#include <fmt/format.h>

#include <cmath>

#include "attention/checks.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/linear.hpp"
#include "tensor/matmul.hpp"
#include "tensor/softmax.hpp"

namespace attn {

namespace {

Tensor dropped(const Tensor& weights, double p, const Training* training) {
    if (training == nullptr) {
        return weights;
    }
    return attn::dropout(training->generator, weights, p, training->rng);
}

}  // namespace

Tensor masked_attention(const Tensor& queries, const Tensor& keys, const Tensor& values, const Tensor& mask,
                        double dropout, const Training* training) {
    const std::size_t n = queries.size(-2);
    if (n > mask.size(-1)) {
        throw Error(
            fmt::format("[attention] Expected at most {} tokens, the context length, but received {}.",
                        mask.size(-1), n));
    }
    const Tensor attn_scores = matmul(queries, transpose(keys, -2, -1));
    const Tensor masked = masked_fill(attn_scores, corner(mask, n, n), -INFINITY);
    const Tensor attn_weights = softmax(divide(masked, std::sqrt(static_cast<double>(keys.size(-1)))), -1);
    return matmul(dropped(attn_weights, dropout, training), values);
}

CausalAttention::CausalAttention(Generator& generator, std::size_t d_in, std::size_t d_out,
                                 std::size_t context_length, double p, bool qkv_bias)
    : W_query(linear(generator, d_in, d_out, qkv_bias)),
      W_key(linear(generator, d_in, d_out, qkv_bias)),
      W_value(linear(generator, d_in, d_out, qkv_bias)),
      mask(triu(ones(Shape{context_length, context_length}), 1)),
      dropout(probability(p)) {}

Tensor CausalAttention::forward(const Tensor& x, const Training* training) const {
    require_batch(x);
    return masked_attention(W_query(x), W_key(x), W_value(x), mask, dropout, training);
}

}  // namespace attn
