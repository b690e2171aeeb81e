// What the modules refuse; for their own sources.
#pragma once

#include "tensor/tensor.hpp"

namespace attn {

// The number itself. Throws Error when it is no probability.
double probability(double p);

// Throws Error when x is not (b, n, d_in).
void require_batch(const Tensor& x);

}  // namespace attn
