// Softmax along an axis, and its gradient.
#pragma once

#include "tensor.hpp"

namespace attn {

// exp(x − max) / Σ exp(x − max) along the axis. -inf gives exactly 0, and a line of -inf only gives NaN.
// Throws Error when x has no such axis. torch.softmax(x, dim), bit for bit along the last axis. Along another
// axis PyTorch takes exp of the columns beyond a multiple of 8 from the C library, which may differ in the
// last bits.
Tensor softmax(const Tensor& x, int dim);

// (…, m), (…, m) → (…, m): the gradient of softmax's input along the last axis, from that of its output:
// (grad − Σ grad·output)·output. Throws Error when the shapes differ. Bit for bit
// torch._softmax_backward_data(grad, output, -1, torch.float32)
Tensor softmax_backward(const Tensor& grad, const Tensor& output);

}  // namespace attn
