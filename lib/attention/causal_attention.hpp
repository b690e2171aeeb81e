// The documents' compact causal class, for use in C++ programs: it computes and records nothing.
#pragma once

#include <cstddef>

#include "../tensor/linear.hpp"
#include "../tensor/random.hpp"
#include "../tensor/tensor.hpp"

namespace attn {

// What training adds to a call: dropout, drawn from here.
struct Training {
    Generator& generator;
    DropoutRng rng = DropoutRng::mt19937;
};

// softmax(masked queries keysᵀ / √d_k) values, dropping weights with probability `dropout` in training:
// (…, n, d_k), (…, n, d_k), (…, n, d_v) → (…, n, d_v). Of the mask (context_length, context_length), 1 where
// a query may not look, the upper left corner (n, n) is used. Throws Error when n is larger than the mask.
Tensor masked_attention(const Tensor& queries, const Tensor& keys, const Tensor& values, const Tensor& mask,
                        double dropout, const Training* training);

// One causal head.
//     attn:  Generator generator(123);  CausalAttention attention(generator, 3, 2, 6, 0.0);
//     torch: torch.manual_seed(123);    attention = CausalAttention(3, 2, 6, 0.0)
class CausalAttention {
public:
    // Draws the query's layer, then the key's, then the value's: torch.nn.Linear(d_in, d_out, bias=qkv_bias)
    // each. Throws Error when dropout is no probability.
    CausalAttention(Generator& generator, std::size_t d_in, std::size_t d_out, std::size_t context_length,
                    double dropout, bool qkv_bias = false);

    // (b, n, d_in) → (b, n, d_out), in evaluation or, given what that takes, in training. Throws Error when x
    // has another rank or width, or more tokens than the context. torch: attention(x)
    Tensor operator()(const Tensor& x) const { return forward(x, nullptr); }
    Tensor operator()(const Tensor& x, const Training& training) const { return forward(x, &training); }

    Linear W_query, W_key, W_value;  // weight (d_out, d_in) and bias (d_out,) each
    Tensor mask;                     // (context_length, context_length): 1 above the diagonal
    double dropout;

private:
    Tensor forward(const Tensor& x, const Training* training) const;
};

}  // namespace attn
