#include "attention/causal_self_attention.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "tensor/elementwise.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/linear.hpp"
#include "tensor/matmul.hpp"
#include "tensor/numpy.hpp"
#include "tensor/reduce.hpp"
#include "tensor/softmax.hpp"

namespace attn {

namespace {

// The future of each of n tokens set to -inf; the mask broadcasts over the leading axes.
Tensor masked(const Tensor& scores) {
    const std::size_t n = scores.size(-1);
    return masked_fill(scores, triu(ones(Shape{n, n}), 1), -std::numeric_limits<float>::infinity());
}

}  // namespace

CausalSelfAttention::CausalSelfAttention(Generator& generator, std::size_t d_model, std::size_t heads,
                                         std::size_t max_length)
    : num_heads(heads), context_length(max_length) {
    if (heads == 0 || d_model % heads != 0) {
        throw Error(fmt::format(
            "[CausalSelfAttention] Expected heads that divide d_model {} but received {}.", d_model, heads));
    }
    for (Linear* layer : {&W_q, &W_k, &W_v, &W_o}) {
        *layer = linear(generator, d_model, d_model, true);
    }
}

Tensor CausalSelfAttention::operator()(const Tensor& x) const {
    const std::size_t d_model = W_q.weight.size(0);
    if (x.rank() != 3 || x.size(1) > context_length || x.size(2) != d_model) {
        throw Error(fmt::format("[CausalSelfAttention] Expected (b, n, {}) with n up to {} but received {}.",
                                d_model, context_length, x.shape().text()));
    }
    const std::size_t b = x.size(0);
    const std::size_t n = x.size(1);
    const std::size_t d_k = d_model / num_heads;
    const auto heads = [&](const Linear& layer) {
        return transpose(view(layer(x), Shape{b, n, num_heads, d_k}), 1, 2);
    };
    const Tensor Q = heads(W_q);
    const Tensor K = heads(W_k);
    const Tensor V = heads(W_v);
    const Tensor scores = divide(matmul(Q, transpose(K, -2, -1)), std::sqrt(static_cast<double>(d_k)));
    const Tensor attn_weights = softmax(masked(scores), -1);
    const Tensor out = view(transpose(matmul(attn_weights, V), 1, 2), x.shape());
    return W_o(out);
}

Tensor numpy::causal_self_attention(const Tensor& x, const Tensor& W_q, const Tensor& W_k, const Tensor& W_v,
                                    const Tensor& W_o) {
    const Tensor Q = matmul(x, W_q);
    const Tensor K = matmul(x, W_k);
    const Tensor V = matmul(x, W_v);
    const double root_dk = std::sqrt(static_cast<double>(K.size(-1)));
    const Tensor scores = masked(divide(matmul(Q, transpose(K, 0, 1)), root_dk));
    const Tensor x_max = view(row_maxima(scores), Shape{scores.size(0), 1});
    const Tensor exp_x = numpy::exp(subtract(scores, x_max));
    const Tensor attn_weights = divide(exp_x, numpy::row_sums(exp_x));
    return matmul(matmul(attn_weights, V), W_o);
}

}  // namespace attn
