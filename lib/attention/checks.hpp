// What the modules refuse; for their own sources.
#pragma once

#include <cstddef>
#include <string_view>

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

}  // namespace attn
