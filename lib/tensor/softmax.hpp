// Softmax along an axis.
#pragma once

#include "tensor.hpp"

namespace attn {

// exp(x − max) / Σ exp(x − max) along the axis; -inf gives exactly 0, and a line of -inf alone gives NaN.
// Throws Error when there is no such axis. torch.softmax(x, dim), bit for bit along the last axis; along
// another one PyTorch takes exp of the columns beyond a multiple of 8 from the C library, which may differ in
// the last bits.
Tensor softmax(const Tensor& x, int dim);

}  // namespace attn
