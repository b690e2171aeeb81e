// A linear layer at work.
#pragma once

#include "../tensor/random.hpp"
#include "../tensor/tensor.hpp"

namespace attn {

// (…, d_in) → (…, d_out): x Wᵀ + b. Throws Error when x has another width. torch: layer(x)
Tensor project(const Tensor& x, const LinearParameters& layer);

}  // namespace attn
