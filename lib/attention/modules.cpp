// The classes project, split and merge differently, and share the code of attention itself.
#include "attention/modules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>

#include "tensor/elementwise.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/numpy.hpp"
#include "tensor/reduce.hpp"
#include "tensor/softmax.hpp"

namespace attn {

namespace {

double probability(std::string_view module, double dropout) {
    if (!(dropout >= 0.0 && dropout <= 1.0)) {
        throw Error("[{}] Expected a dropout from 0 to 1 but received {}.", module, dropout);
    }
    return dropout;
}

void require_rank(std::string_view module, const Tensor& x, std::size_t rank, std::string_view expected) {
    if (x.rank() != rank) {
        throw Error("[{}] Expected {} but received {}.", module, expected, x.shape().text());
    }
}

void require_batch(std::string_view module, const Tensor& x, std::size_t context_length) {
    require_rank(module, x, 3, "(batch, tokens, d_in)");
    if (x.size(1) > context_length) {
        throw Error("[{}] Expected at most {} tokens, the context length, but received {}.", module,
                    context_length, x.size(1));
    }
}

// Returns queries keysᵀ / √d_k.
Tensor scaled_scores(const Tensor& queries, const Tensor& keys) {
    return div(matmul(queries, transpose(keys, -2, -1)), std::sqrt(static_cast<double>(keys.size(-1))));
}

// Returns the scores (…, n, n) with the future of each token set to -inf.
Tensor masked_scores(const Tensor& queries, const Tensor& keys) {
    const std::size_t n = queries.size(-2);
    return masked_fill(scaled_scores(queries, keys), triu(ones({n, n}), 1),
                       -std::numeric_limits<float>::infinity());
}

Tensor attend_causally(const Tensor& queries, const Tensor& keys, const Tensor& values,
                       const Training& training, double p) {
    const Tensor attn_weights = softmax(masked_scores(queries, keys), -1);
    return matmul(training.generator == nullptr ? attn_weights
                                                : dropout(*training.generator, attn_weights, p, training.rng),
                  values);
}

// (b, n, num_heads · d) → (b, num_heads, n, d). torch: x.view(b, n, num_heads, d).transpose(1, 2)
Tensor split_heads(const Tensor& x, std::size_t num_heads) {
    return transpose(view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads}), 1, 2);
}

// (b, num_heads, n, d) → (b, n, num_heads · d)
Tensor merge_heads(const Tensor& x) {
    return view(transpose(x, 1, 2), {x.size(0), x.size(2), x.size(1) * x.size(3)});
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& queries, const Tensor& keys, const Tensor& values) {
    const std::size_t rank = queries.rank();
    const auto lead = [](const Tensor& x, std::size_t axes) { return std::span(x.shape().begin(), axes); };
    if (rank < 2 || keys.rank() != rank || values.rank() != rank || queries.size(-1) != keys.size(-1) ||
        !std::ranges::equal(lead(queries, rank - 2), lead(keys, rank - 2)) ||
        !std::ranges::equal(lead(keys, rank - 1), lead(values, rank - 1))) {
        throw Error(
            "[scaled_dot_product_attention] Expected (…, n, d_k), (…, m, d_k) and (…, m, d_v) but received "
            "{}, {} and {}.",
            queries.shape().text(), keys.shape().text(), values.shape().text());
    }
    return matmul(softmax(scaled_scores(queries, keys), -1), values);
}

// The members are drawn in the order in which they are declared.
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

CausalAttention::CausalAttention(Generator& generator, std::size_t d_in, std::size_t d_out,
                                 std::size_t context_length, double dropout, bool qkv_bias)
    : W_query(generator, d_in, d_out, qkv_bias),
      W_key(generator, d_in, d_out, qkv_bias),
      W_value(generator, d_in, d_out, qkv_bias),
      context_length_(context_length),
      dropout_(probability("CausalAttention", dropout)) {}

Tensor CausalAttention::operator()(const Tensor& x, const Training& training) const {
    require_batch("CausalAttention", x, context_length_);
    return attend_causally(W_query(x), W_key(x), W_value(x), training, dropout_);
}

MultiHeadAttentionWrapper::MultiHeadAttentionWrapper(Generator& generator, std::size_t d_in,
                                                     std::size_t d_out, std::size_t context_length,
                                                     double dropout, std::size_t num_heads, bool qkv_bias) {
    if (num_heads == 0) {
        throw Error("[MultiHeadAttentionWrapper] Expected at least one head but received 0.");
    }
    for (std::size_t head = 0; head < num_heads; ++head) {
        heads.emplace_back(generator, d_in, d_out, context_length, dropout, qkv_bias);
    }
}

Tensor MultiHeadAttentionWrapper::operator()(const Tensor& x, const Training& training) const {
    Tensor result = heads.front()(x, training);
    for (const CausalAttention& head : std::span(heads).subspan(1)) {
        result = cat({result, head(x, training)}, -1);
    }
    return result;
}

MultiHeadAttention::MultiHeadAttention(Generator& generator, std::size_t d_in, std::size_t d_out,
                                       std::size_t context_length, double dropout, std::size_t num_heads,
                                       bool qkv_bias)
    : W_query(generator, d_in, d_out, qkv_bias),
      W_key(generator, d_in, d_out, qkv_bias),
      W_value(generator, d_in, d_out, qkv_bias),
      out_proj(generator, d_out, d_out),
      context_length_(context_length),
      dropout_(probability("MultiHeadAttention", dropout)),
      num_heads_(num_heads) {
    if (num_heads == 0 || d_out % num_heads != 0) {
        throw Error("[MultiHeadAttention] Expected heads that divide {} but received {}.", d_out, num_heads);
    }
}

Tensor MultiHeadAttention::operator()(const Tensor& x, const Training& training) const {
    require_batch("MultiHeadAttention", x, context_length_);
    const Tensor queries = split_heads(W_query(x), num_heads_);
    const Tensor keys = split_heads(W_key(x), num_heads_);
    const Tensor values = split_heads(W_value(x), num_heads_);
    return out_proj(merge_heads(attend_causally(queries, keys, values, training, dropout_)));
}

Tensor numpy::causal_self_attention(const Tensor& x, const Tensor& W_q, const Tensor& W_k, const Tensor& W_v,
                                    const Tensor& W_o) {
    require_rank("causal_self_attention", x, 2, "(tokens, d_model)");
    const Tensor scores = masked_scores(matmul(x, W_q), matmul(x, W_k));
    const Tensor exp_x = numpy::exp(sub(scores, amax(scores, -1, true)));
    const Tensor attn_weights = div(exp_x, numpy::sum(exp_x, -1, true));
    return matmul(matmul(attn_weights, matmul(x, W_v)), W_o);
}

}  // namespace attn
