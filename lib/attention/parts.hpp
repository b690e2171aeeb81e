// What the modules share: their checks, heads, and attention that sees no later token. For their own sources.
#pragma once

#include <cstddef>
#include <string_view>

#include "tensor/random.hpp"
#include "tensor/tensor.hpp"

namespace attn {

// The number itself. Throws Error when it is no probability.
double probability(std::string_view module, double dropout);

// Throws Error when x has another rank than `expected` says.
void require_rank(std::string_view module, const Tensor& x, std::size_t rank, std::string_view expected);

// Throws Error unless the shapes are (…, n, d_k), (…, m, d_k), (…, m, d_v).
void require_heads(std::string_view operation, const Tensor& queries, const Tensor& keys,
                   const Tensor& values);

// Throws Error when the heads do not divide a width.
void require_heads_divide(std::string_view module, std::size_t width, std::size_t num_heads);

// Throws Error when there are more tokens than the context has room for.
void require_context(std::string_view module, std::size_t tokens, std::size_t context_length);

// (b, n, num_heads · d) → (b, num_heads, n, d). torch: x.view(b, n, num_heads, d).transpose(1, 2)
Tensor split_heads(const Tensor& x, std::size_t num_heads);

// (b, num_heads, n, d) → (b, n, num_heads · d)
Tensor merge_heads(const Tensor& x);

// Where dropout is drawn from in training; no generator is evaluation.
struct Dropout {
    double p = 0.0;
    Generator* generator = nullptr;
    DropoutRng rng = DropoutRng::mt19937;
};

// softmax(masked queries keysᵀ / √d_k) values, with weights dropped: (…, n, d_k), (…, n, d_k), (…, n, d_v) →
// (…, n, d_v). Throws Error when n is above the context's length.
Tensor masked_attention(std::string_view module, const Tensor& queries, const Tensor& keys,
                        const Tensor& values, std::size_t context_length, const Dropout& dropout);

}  // namespace attn
