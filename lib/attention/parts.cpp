#include "attention/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "tensor/elementwise.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"
#include "tensor/softmax.hpp"

namespace attn {

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

void require_heads(std::string_view operation, const Tensor& queries, const Tensor& keys,
                   const Tensor& values) {
    const std::size_t rank = queries.rank();
    const auto lead = [](const Tensor& x, std::size_t axes) { return std::span(x.shape().begin(), axes); };
    if (rank < 2 || keys.rank() != rank || values.rank() != rank || queries.size(-1) != keys.size(-1) ||
        !std::ranges::equal(lead(queries, rank - 2), lead(keys, rank - 2)) ||
        !std::ranges::equal(lead(keys, rank - 1), lead(values, rank - 1))) {
        throw Error("[{}] Expected (…, n, d_k), (…, m, d_k) and (…, m, d_v) but received {}, {} and {}.",
                    operation, queries.shape().text(), keys.shape().text(), values.shape().text());
    }
}

void require_heads_divide(std::string_view module, std::size_t width, std::size_t num_heads) {
    if (num_heads == 0 || width % num_heads != 0) {
        throw Error("[{}] Expected heads that divide {} but received {}.", module, width, num_heads);
    }
}

void require_context(std::string_view module, std::size_t tokens, std::size_t context_length) {
    if (tokens > context_length) {
        throw Error("[{}] Expected at most {} tokens, the context length, but received {}.", module,
                    context_length, tokens);
    }
}

Tensor split_heads(const Tensor& x, std::size_t num_heads) {
    return transpose(view(x, {x.size(0), x.size(1), num_heads, x.size(2) / num_heads}), 1, 2);
}

Tensor merge_heads(const Tensor& x) {
    return view(transpose(x, 1, 2), {x.size(0), x.size(2), x.size(1) * x.size(3)});
}

Tensor masked_attention(std::string_view module, const Tensor& queries, const Tensor& keys,
                        const Tensor& values, std::size_t context_length, const Dropout& dropout) {
    const std::size_t n = queries.size(-2);
    require_context(module, n, context_length);
    const Tensor attn_scores = matmul(queries, transpose(keys, -2, -1));
    const Tensor mask = triu(ones({n, n}), 1);
    const Tensor masked = masked_fill(attn_scores, mask, -std::numeric_limits<float>::infinity());
    const double root_dk = std::sqrt(static_cast<double>(keys.size(-1)));
    const Tensor attn_weights = softmax(div(masked, root_dk), -1);
    if (dropout.generator == nullptr) {
        return matmul(attn_weights, values);
    }
    return matmul(attn::dropout(*dropout.generator, attn_weights, dropout.p, dropout.rng), values);
}

}  // namespace attn
