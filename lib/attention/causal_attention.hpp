// The documents' compact causal class.
#pragma once

#include <cstddef>

#include "../tensor/linear.hpp"
#include "../tensor/random.hpp"
#include "../tensor/tensor.hpp"

namespace attn {

// One causal head.
//     attn:  Generator generator(123);  CausalAttention attention(generator, 3, 2, 6, 0.0);
//     torch: torch.manual_seed(123);    attention = CausalAttention(3, 2, 6, 0.0)
class CausalAttention {
public:
    // Draws the query's layer, then the key's, then the value's: torch.nn.Linear(d_in, d_out, bias=qkv_bias)
    // each. Throws Error when dropout is no probability.
    CausalAttention(Generator& generator, std::size_t d_in, std::size_t d_out, std::size_t context_length,
                    double dropout, bool qkv_bias = false);

    // (b, n, d_in) → (b, n, d_out), in evaluation: nothing is dropped. Throws Error when x has another rank
    // or width, or more tokens than the context. torch: attention.eval(); attention(x)
    Tensor operator()(const Tensor& x) const;

    // The same in training: weights are dropped, as the generator draws. torch: attention.train();
    // attention(x)
    Tensor operator()(const Tensor& x, Generator& generator, DropoutRng rng = DropoutRng::mt19937) const;

    Linear W_query, W_key, W_value;

private:
    std::size_t context_length_;
    double dropout_;
};

}  // namespace attn
