// Softmax along an axis.
#pragma once

#include "tensor/tensor.hpp"

namespace attn {

// exp(x − max) / Σ exp(x − max) along the axis; -inf gives exactly 0, and a line of -inf alone gives NaN.
// Throws when there is no such axis. torch.softmax(x, dim=axis), bit for bit.
Tensor softmax(const Tensor& x, int axis);

}  // namespace attn
