// Softmax along an axis, and its gradient.
#pragma once

#include "tensor.hpp"

namespace attn {

// exp(x − max) / Σ exp(x − max) along the axis. -inf gives exactly 0, and a line with nothing but -inf gives
// NaN. Throws Error when x has no such axis. torch.softmax(x, dim), bit for bit along the last axis. Along
// other axes, PyTorch divides the columns among its threads, and uses the C library's exp for a thread's
// columns beyond a multiple of 8. The bits are those of one thread.
Tensor softmax(const Tensor& x, int dim);

// (…, m), (…, m) → (…, m): the gradient of softmax's input along the last axis, (grad − Σ
// grad·output)·output, from the gradient of its output. Throws Error when the shapes differ. Bit for bit
// torch._softmax_backward_data(grad, output, -1, torch.float32)
Tensor softmax_backward(const Tensor& grad, const Tensor& output);

}  // namespace attn
