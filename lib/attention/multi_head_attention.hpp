// The documents' two ways to several causal heads.
#pragma once

#include <cstddef>
#include <vector>

#include "../tensor/linear.hpp"
#include "../tensor/random.hpp"
#include "../tensor/tensor.hpp"
#include "causal_attention.hpp"

namespace attn {

// Heads stacked: each a module of its own, `d_out` wide.
//     attn:  Generator generator(123);  MultiHeadAttentionWrapper attention(generator, 3, 2, 6, 0.0, 2);
//     torch: torch.manual_seed(123);    attention = MultiHeadAttentionWrapper(3, 2, 6, 0.0, num_heads=2)
class MultiHeadAttentionWrapper {
public:
    // Draws head by head. Throws Error when there is no head, or dropout is no probability.
    MultiHeadAttentionWrapper(Generator& generator, std::size_t d_in, std::size_t d_out,
                              std::size_t context_length, double dropout, std::size_t num_heads,
                              bool qkv_bias = false);

    // (b, n, d_in) → (b, n, num_heads · d_out), in evaluation. Throws Error as CausalAttention does. torch:
    // attention.eval(); attention(x)
    Tensor operator()(const Tensor& x) const;

    // The same in training, where the heads draw one after the other. torch: attention.train(); attention(x)
    Tensor operator()(const Tensor& x, Generator& generator, DropoutRng rng = DropoutRng::mt19937) const;

    std::vector<CausalAttention> heads;
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

    // (b, n, d_in) → (b, n, d_out), in evaluation and in training. Throw Error as CausalAttention does.
    // torch: attention(x)
    Tensor operator()(const Tensor& x) const;
    Tensor operator()(const Tensor& x, Generator& generator, DropoutRng rng = DropoutRng::mt19937) const;

    Linear W_query, W_key, W_value;  // of all heads
    Linear out_proj;

private:
    std::size_t context_length_;
    double dropout_;
    std::size_t num_heads_;
};

}  // namespace attn
