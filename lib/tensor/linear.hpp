// A linear layer: its parameters, and itself at work.
#pragma once

#include <cstddef>
#include <optional>

#include "random.hpp"
#include "tensor.hpp"

namespace attn {

// torch.nn.Linear. A layer of one's own parameters is written Linear{weight, bias}.
struct Linear {
    Tensor weight;               // (d_out, d_in)
    std::optional<Tensor> bias;  // (d_out,)

    // (…, d_in) → (…, d_out): x Wᵀ + b. Throws Error when x has another width. torch: layer(x)
    Tensor operator()(const Tensor& x) const;
};

// Draws the weight, then the bias, all uniform in ±1/√d_in. torch.nn.Linear(d_in, d_out, bias)
Linear linear(Generator& generator, std::size_t d_in, std::size_t d_out, bool bias = true);

}  // namespace attn
