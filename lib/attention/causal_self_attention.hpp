// Document 003's attention: its module, and its single head without a framework.
#pragma once

#include <cstddef>

#include "../tensor/linear.hpp"
#include "../tensor/random.hpp"
#include "../tensor/tensor.hpp"

namespace attn {

// Several causal heads side by side, with biases and an output projection.
//     attn:  Generator generator(123);
//            const CausalSelfAttention model(generator, 512, 8);
//            const Tensor output = model(x);
//     torch: torch.manual_seed(123); model = CausalSelfAttention(512, 8); output = model(x)
class CausalSelfAttention {
public:
    // Draws the four layers as torch.nn.Linear does, in the order W_q, W_k, W_v, W_o. Throws Error when the
    // heads do not divide d_model.
    CausalSelfAttention(Generator& generator, std::size_t d_model, std::size_t num_heads,
                        std::size_t context_length = 1024);

    // (b, n, d_model) → (b, n, d_model). Throws Error when n exceeds the context, or the width is another.
    Tensor operator()(const Tensor& x) const;

    Linear W_q, W_k, W_v, W_o;

private:
    std::size_t num_heads_;
    std::size_t context_length_;
};

namespace numpy {

// (n, d), four of (d, d) → (n, d). One head of full width, in NumPy's arithmetic. Throws Error when the
// shapes do not fit together.
Tensor causal_self_attention(const Tensor& x, const Tensor& W_q, const Tensor& W_k, const Tensor& W_v,
                             const Tensor& W_o);

}  // namespace numpy

}  // namespace attn
