// Attention that looks at no later token, which the documents' causal classes share.
#pragma once

#include <cstddef>
#include <string_view>

#include "tensor/random.hpp"
#include "tensor/tensor.hpp"

namespace attn {

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
