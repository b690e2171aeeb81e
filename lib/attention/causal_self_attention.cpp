#include "attention/causal_self_attention.hpp"

#include <cmath>
#include <limits>

#include "attention/parts.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"
#include "tensor/numpy.hpp"
#include "tensor/reduce.hpp"
#include "tensor/softmax.hpp"

namespace attn {

namespace {

// The future of each of n tokens set to -inf; the mask broadcasts over the leading axes.
Tensor masked(const Tensor& scores) {
    const std::size_t n = scores.size(-1);
    return masked_fill(scores, triu(ones({n, n}), 1), -std::numeric_limits<float>::infinity());
}

double root_of_width(const Tensor& keys) {
    return std::sqrt(static_cast<double>(keys.size(-1)));
}

}  // namespace

CausalSelfAttention::CausalSelfAttention(Generator& generator, std::size_t d_model, std::size_t num_heads,
                                         std::size_t context_length)
    : W_q(generator, d_model, d_model),
      W_k(generator, d_model, d_model),
      W_v(generator, d_model, d_model),
      W_o(generator, d_model, d_model),
      num_heads_(num_heads),
      context_length_(context_length) {
    require_heads_divide("CausalSelfAttention", d_model, num_heads);
}

Tensor CausalSelfAttention::operator()(const Tensor& x) const {
    require_rank("CausalSelfAttention", x, 3, "(batch, tokens, d_model)");
    require_context("CausalSelfAttention", x.size(1), context_length_);
    const Tensor Q = split_heads(W_q(x), num_heads_);
    const Tensor K = split_heads(W_k(x), num_heads_);
    const Tensor V = split_heads(W_v(x), num_heads_);
    const Tensor scores = div(matmul(Q, transpose(K, -2, -1)), root_of_width(K));
    const Tensor attn_weights = softmax(masked(scores), -1);
    return W_o(merge_heads(matmul(attn_weights, V)));
}

namespace numpy {

Tensor causal_self_attention(const Tensor& x, const Tensor& W_q, const Tensor& W_k, const Tensor& W_v,
                             const Tensor& W_o) {
    require_rank("causal_self_attention", x, 2, "(tokens, d_model)");
    const Tensor Q = matmul(x, W_q);
    const Tensor K = matmul(x, W_k);
    const Tensor V = matmul(x, W_v);
    const Tensor scores = masked(div(matmul(Q, transpose(K, 0, 1)), root_of_width(K)));
    const Tensor exp_x = numpy::exp(sub(scores, amax(scores, -1, true)));
    const Tensor attn_weights = div(exp_x, numpy::sum(exp_x, -1, true));
    return matmul(matmul(attn_weights, V), W_o);
}

}  // namespace numpy

}  // namespace attn
