#include "attention/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "tensor/error.hpp"

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

}  // namespace attn
