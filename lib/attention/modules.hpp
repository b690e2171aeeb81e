// The documents' compact attention classes, for C++ programs. They compute without recording steps.
#pragma once

#include <cstddef>
#include <vector>

#include "../tensor/matmul.hpp"
#include "../tensor/random.hpp"
#include "../tensor/tensor.hpp"

namespace attn {

// softmax(queries keysᵀ / √d_k) values: (…, n, d_k), (…, m, d_k), (…, m, d_v) → (…, n, d_v). Throws Error
// when the shapes do not fit together.
Tensor scaled_dot_product_attention(const Tensor& queries, const Tensor& keys, const Tensor& values);

// Self-attention with plain matrices, whose numbers are uniform in [0, 1).
//     attn:  Generator generator(123);  SelfAttentionV1 attention(generator, 3, 2);
//     torch: torch.manual_seed(123);    attention = SelfAttention_v1(3, 2)
class SelfAttentionV1 {
public:
    // Draws the matrices of query, key and value, in this order, each torch.rand(d_in, d_out).
    SelfAttentionV1(Generator& generator, std::size_t d_in, std::size_t d_out);

    // (n, d_in) → (n, d_out). Throws Error for a different rank or width of x. torch: attention(x)
    Tensor operator()(const Tensor& x) const;

    Tensor W_query, W_key, W_value;  // (d_in, d_out) each
};

// Self-attention with layers like torch.nn.Linear.
//     attn:  Generator generator(789);  SelfAttentionV2 attention(generator, 3, 2);
//     torch: torch.manual_seed(789);    attention = SelfAttention_v2(3, 2)
class SelfAttentionV2 {
public:
    // Draws the layers of query, key and value, in this order, each torch.nn.Linear(d_in, d_out,
    // bias=qkv_bias).
    SelfAttentionV2(Generator& generator, std::size_t d_in, std::size_t d_out, bool qkv_bias = false);

    // (n, d_in) → (n, d_out). Throws Error for a different rank or width of x. torch: attention(x)
    Tensor operator()(const Tensor& x) const;

    Linear W_query, W_key, W_value;
};

// A forward pass in training mode draws dropout masks from this generator. Without a generator, it runs in
// evaluation mode, without dropout.
//     attn:  attention(x, {&generator})           attention(x)
//     torch: attention.train(); attention(x)      attention.eval(); attention(x)
struct Training {
    Generator* generator = nullptr;
    DropoutRng rng = DropoutRng::mt19937;
};

// One causal head.
//     attn:  Generator generator(123);  CausalAttention attention(generator, 3, 2, 6, 0.0);
//     torch: torch.manual_seed(123);    attention = CausalAttention(3, 2, 6, 0.0)
class CausalAttention {
public:
    // Draws the layers of query, key and value, in this order. Throws Error unless dropout is a probability.
    CausalAttention(Generator& generator, std::size_t d_in, std::size_t d_out, std::size_t context_length,
                    double dropout, bool qkv_bias = false);

    // (b, n, d_in) → (b, n, d_out). Throws Error for a different rank or width of x, and for more tokens than
    // context_length. torch: attention(x)
    Tensor operator()(const Tensor& x, const Training& training = {}) const;

    Linear W_query, W_key, W_value;

private:
    std::size_t context_length_;
    double dropout_;
};

// Stacked heads: each is a CausalAttention module, `d_out` wide.
//     attn:  MultiHeadAttentionWrapper attention(generator, 3, 2, 6, 0.0, 2);
//     torch: attention = MultiHeadAttentionWrapper(3, 2, 6, 0.0, num_heads=2)
class MultiHeadAttentionWrapper {
public:
    // Draws the heads one after the other. Throws Error when num_heads is 0, or dropout is not a probability.
    MultiHeadAttentionWrapper(Generator& generator, std::size_t d_in, std::size_t d_out,
                              std::size_t context_length, double dropout, std::size_t num_heads,
                              bool qkv_bias = false);

    // (b, n, d_in) → (b, n, num_heads · d_out). In training mode, the masks are drawn head by head. Throws
    // Error as CausalAttention does. torch: attention(x)
    Tensor operator()(const Tensor& x, const Training& training = {}) const;

    std::vector<CausalAttention> heads;
};

// Split heads: one projection of width `d_out` computes all heads, each d_out / num_heads wide, and an output
// projection mixes them.
//     attn:  MultiHeadAttention attention(generator, 3, 2, 6, 0.0, 2);
//     torch: attention = MultiHeadAttention(3, 2, 6, 0.0, num_heads=2)
class MultiHeadAttention {
public:
    // Draws the layers of query, key and value, then out_proj, which always has a bias. Throws Error when
    // num_heads does not divide d_out, or dropout is not a probability.
    MultiHeadAttention(Generator& generator, std::size_t d_in, std::size_t d_out, std::size_t context_length,
                       double dropout, std::size_t num_heads, bool qkv_bias = false);

    // (b, n, d_in) → (b, n, d_out). Throws Error as CausalAttention does. torch: attention(x)
    Tensor operator()(const Tensor& x, const Training& training = {}) const;

    Linear W_query, W_key, W_value;  // each layer serves all heads
    Linear out_proj;

private:
    std::size_t context_length_;
    double dropout_;
    std::size_t num_heads_;
};

// Several causal heads side by side, with biases and without dropout.
//     attn:  Generator generator(123);  CausalSelfAttention model(generator, 512, 8);
//     torch: torch.manual_seed(123);    model = CausalSelfAttention(512, 8)
class CausalSelfAttention : public MultiHeadAttention {
public:
    // Draws the layers W_q, W_k, W_v and W_o, in this order. Throws Error when num_heads does not divide
    // d_model.
    CausalSelfAttention(Generator& generator, std::size_t d_model, std::size_t num_heads,
                        std::size_t context_length = 1024)
        : MultiHeadAttention(generator, d_model, d_model, context_length, 0.0, num_heads, true) {}
};

namespace numpy {

// (n, d), four matrices (d, d) → (n, d): attention with a single head of full width, in NumPy's arithmetic.
// Throws Error when the shapes do not fit together.
Tensor causal_self_attention(const Tensor& x, const Tensor& W_q, const Tensor& W_k, const Tensor& W_v,
                             const Tensor& W_o);

}  // namespace numpy

}  // namespace attn
