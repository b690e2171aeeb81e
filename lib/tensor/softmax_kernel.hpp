// Softmax of rows, and its way back, compiled once per level.
#pragma once

#include <cstddef>

namespace attn {

// x (rows, length) → result (rows, length); length > 0. They may be the same.
using RowSoftmax = void (*)(const float* x, float* result, std::size_t rows, std::size_t length);

// grad, output (rows, length) → result (rows, length); length > 0. (grad − Σ grad·output)·output
using RowSoftmaxBackward = void (*)(const float* grad, const float* output, float* result, std::size_t rows,
                                    std::size_t length);

namespace baseline {
extern const RowSoftmax softmax_rows;
extern const RowSoftmaxBackward softmax_backward_rows;
}  // namespace baseline
namespace v3 {
extern const RowSoftmax softmax_rows;
extern const RowSoftmaxBackward softmax_backward_rows;
}  // namespace v3
namespace v4 {
extern const RowSoftmax softmax_rows;
extern const RowSoftmaxBackward softmax_backward_rows;
}  // namespace v4

}  // namespace attn
