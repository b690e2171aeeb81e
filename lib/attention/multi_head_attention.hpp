// The documents' two ways to several causal heads, for use in C++ programs: they compute and record nothing.
#pragma once

#include <cstddef>
#include <vector>

#include "causal_attention.hpp"

namespace attn {

// Heads stacked: each a module of its own, `d_out` wide.
//     attn:  Generator generator(123);  MultiHeadAttentionWrapper attention(generator, 3, 2, 6, 0.0, 2);
//     torch: torch.manual_seed(123);    attention = MultiHeadAttentionWrapper(3, 2, 6, 0.0, num_heads=2)
class MultiHeadAttentionWrapper {
public:
    // Draws head by head. Throws Error when there is no head, or as CausalAttention does.
    MultiHeadAttentionWrapper(Generator& generator, std::size_t d_in, std::size_t d_out,
                              std::size_t context_length, double dropout, std::size_t num_heads,
                              bool qkv_bias = false);

    // (b, n, d_in) → (b, n, num_heads · d_out). In training the heads draw one after the other. Throws Error
    // as CausalAttention does. torch: attention(x)
    Tensor operator()(const Tensor& x) const { return forward(x, nullptr); }
    Tensor operator()(const Tensor& x, const Training& training) const { return forward(x, &training); }

    std::vector<CausalAttention> heads;

private:
    Tensor forward(const Tensor& x, const Training* training) const;
};

// Heads split: one projection `d_out` wide makes the numbers of all heads, d_out / num_heads each, and an
// output projection mixes them.
//     attn:  Generator generator(123);  MultiHeadAttention attention(generator, 3, 2, 6, 0.0, 2);
//     torch: torch.manual_seed(123);    attention = MultiHeadAttention(3, 2, 6, 0.0, num_heads=2)
class MultiHeadAttention {
public:
    // Draws the layers of query, key and value, then out_proj, which always has a bias. Throws Error when the
    // heads do not divide d_out, or dropout is no probability.
    MultiHeadAttention(Generator& generator, std::size_t d_in, std::size_t d_out, std::size_t context_length,
                       double dropout, std::size_t num_heads, bool qkv_bias = false);

    // (b, n, d_in) → (b, n, d_out). Throws Error as CausalAttention does. torch: attention(x)
    Tensor operator()(const Tensor& x) const { return forward(x, nullptr); }
    Tensor operator()(const Tensor& x, const Training& training) const { return forward(x, &training); }

    Linear W_query, W_key, W_value;  // of all heads: weight (d_out, d_in) and bias (d_out,) each
    Linear out_proj;                 // weight (d_out, d_out) and bias (d_out,)
    Tensor mask;                     // (context_length, context_length): 1 above the diagonal
    double dropout;
    std::size_t num_heads;

private:
    Tensor forward(const Tensor& x, const Training* training) const;
};

}  // namespace attn
