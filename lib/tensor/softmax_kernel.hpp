// Softmax of one row, and its way back, compiled once per level.
#pragma once

#include <cstddef>

namespace attn {

// x (length,) → result (length,); length > 0. They may be the same.
using RowSoftmax = void (*)(const float* x, float* result, std::size_t length);

// grad, output (length,) → result (length,); length > 0. (grad − Σ grad·output)·output
using RowSoftmaxBackward = void (*)(const float* grad, const float* output, float* result,
                                    std::size_t length);

namespace baseline {
extern const RowSoftmax softmax_row;
extern const RowSoftmaxBackward softmax_backward_row;
}  // namespace baseline
namespace v3 {
extern const RowSoftmax softmax_row;
extern const RowSoftmaxBackward softmax_backward_row;
}  // namespace v3
namespace v4 {
extern const RowSoftmax softmax_row;
extern const RowSoftmaxBackward softmax_backward_row;
}  // namespace v4

}  // namespace attn
