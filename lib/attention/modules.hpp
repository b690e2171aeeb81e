// The documents' compact attention classes, as C++ programs use them. They
// compute and record nothing.
#pragma once

#include <cstddef>
#include <vector>

#include "../tensor/matmul.hpp"
#include "../tensor/random.hpp"
#include "../tensor/tensor.hpp"

namespace attn {

// softmax(queries keysᵀ / √d_k) values: (…, n, d_k), (…, m, d_k), (…, m, d_v) →
// (…, n, d_v). Throws Error when the shapes do not fit together.
Tensor scaled_dot_product_attention(const Tensor& queries, const Tensor& keys, const Tensor& values);

// Projections by plain matrices, uniform in [0, 1).
//     attn:  Generator generator(123);  SelfAttentionV1 attention(generator, 3,
//     2); torch: torch.manual_seed(123);    attention = SelfAttention_v1(3, 2)
class SelfAttentionV1 {
public:
    // Draws the query's matrix, then the key's, then the value's:
    // torch.rand(d_in, d_out) each.
    SelfAttentionV1(Generator& generator, std::size_t d_in, std::size_t d_out);

    // (n, d_in) → (n, d_out). Throws Error when x has another rank or width.
    // torch: attention(x)
    Tensor operator()(const Tensor& x) const;

    Tensor W_query, W_key, W_value;  // (d_in, d_out) each
};

// Projections by torch.nn.Linear.
//     attn:  Generator generator(789);  SelfAttentionV2 attention(generator, 3,
//     2); torch: torch.manual_seed(789);    attention = SelfAttention_v2(3, 2)
class SelfAttentionV2 {
public:
    // Draws the query's layer, then the key's, then the value's:
    // torch.nn.Linear(d_in, d_out, bias=qkv_bias) each.
    SelfAttentionV2(Generator& generator, std::size_t d_in, std::size_t d_out, bool qkv_bias = false);

    // (n, d_in) → (n, d_out). Throws Error when x has another rank or width.
    // torch: attention(x)
    Tensor operator()(const Tensor& x) const;

    Linear W_query, W_key, W_value;
};

// One causal head.
//     attn:  Generator generator(123);  CausalAttention attention(generator, 3,
//     2, 6, 0.0); torch: torch.manual_seed(123);    attention =
//     CausalAttention(3, 2, 6, 0.0)
class CausalAttention {
public:
    // Draws the query's layer, then the key's, then the value's: torch.nn.Linear(d_in, d_out, bias=qkv_bias)
    // each. Throws Error unless dropout is a probability.
    CausalAttention(Generator& generator, std::size_t d_in, std::size_t d_out, std::size_t context_length,
                    double dropout, bool qkv_bias = false);

    // (b, n, d_in) → (b, n, d_out), in evaluation: nothing is dropped. Throws
    // Error when x has another rank or width, or more tokens than the context.
    // torch: attention.eval(); attention(x)
    Tensor operator()(const Tensor& x) const;

    // The same in training: weights are dropped, as the generator draws. torch:
    // attention.train(); attention(x)
    Tensor operator()(const Tensor& x, Generator& generator, DropoutRng rng = DropoutRng::mt19937) const;

    Linear W_query, W_key, W_value;

private:
    std::size_t context_length_;
    double dropout_;
};

// Heads stacked: each a module of its own, `d_out` wide.
//     attn:  Generator generator(123);  MultiHeadAttentionWrapper
//     attention(generator, 3, 2, 6, 0.0, 2); torch: torch.manual_seed(123);
//     attention = MultiHeadAttentionWrapper(3, 2, 6, 0.0, num_heads=2)
class MultiHeadAttentionWrapper {
public:
    // Draws head by head. Throws Error when there is no head, or dropout is not a probability.
    MultiHeadAttentionWrapper(Generator& generator, std::size_t d_in, std::size_t d_out,
                              std::size_t context_length, double dropout, std::size_t num_heads,
                              bool qkv_bias = false);

    // (b, n, d_in) → (b, n, num_heads · d_out), in evaluation. Throws Error as
    // CausalAttention does. torch: attention.eval(); attention(x)
    Tensor operator()(const Tensor& x) const;

    // The same in training, where the heads draw one after the other. torch:
    // attention.train(); attention(x)
    Tensor operator()(const Tensor& x, Generator& generator, DropoutRng rng = DropoutRng::mt19937) const;

    std::vector<CausalAttention> heads;
};

// Heads split: one projection `d_out` wide makes the numbers of all heads,
// d_out / num_heads each, and an output projection mixes them.
//     attn:  Generator generator(123);  MultiHeadAttention attention(generator,
//     3, 2, 6, 0.0, 2); torch: torch.manual_seed(123);    attention =
//     MultiHeadAttention(3, 2, 6, 0.0, num_heads=2)
class MultiHeadAttention {
public:
    // Draws the layers of query, key and value, then out_proj, which always has a bias. Throws Error when the
    // heads do not divide d_out, or dropout is not a probability.
    MultiHeadAttention(Generator& generator, std::size_t d_in, std::size_t d_out, std::size_t context_length,
                       double dropout, std::size_t num_heads, bool qkv_bias = false);

    // (b, n, d_in) → (b, n, d_out), in evaluation and in training. Throw Error as
    // CausalAttention does. torch: attention(x)
    Tensor operator()(const Tensor& x) const;
    Tensor operator()(const Tensor& x, Generator& generator, DropoutRng rng = DropoutRng::mt19937) const;

    Linear W_query, W_key, W_value;  // of all heads
    Linear out_proj;

private:
    std::size_t context_length_;
    double dropout_;
    std::size_t num_heads_;
};

// Several causal heads side by side, with biases and an output projection.
//     attn:  Generator generator(123);
//            const CausalSelfAttention model(generator, 512, 8);
//            const Tensor output = model(x);
//     torch: torch.manual_seed(123); model = CausalSelfAttention(512, 8);
//     output = model(x)
class CausalSelfAttention {
public:
    // Draws the four layers as torch.nn.Linear does, in the order W_q, W_k, W_v,
    // W_o. Throws Error when the heads do not divide d_model.
    CausalSelfAttention(Generator& generator, std::size_t d_model, std::size_t num_heads,
                        std::size_t context_length = 1024);

    // (b, n, d_model) → (b, n, d_model). Throws Error when n exceeds the context,
    // or the width is another.
    Tensor operator()(const Tensor& x) const;

    Linear W_q, W_k, W_v, W_o;

private:
    std::size_t num_heads_;
    std::size_t context_length_;
};

namespace numpy {

// (n, d), four of (d, d) → (n, d). One head of full width, in NumPy's
// arithmetic. Throws Error when the shapes do not fit together.
Tensor causal_self_attention(const Tensor& x, const Tensor& W_q, const Tensor& W_k, const Tensor& W_v,
                             const Tensor& W_o);

}  // namespace numpy

}  // namespace attn
