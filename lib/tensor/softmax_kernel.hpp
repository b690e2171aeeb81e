// Softmax of one row, compiled once per level.
#pragma once

#include <cstddef>

namespace attn {

// x (length,) → result (length,); length > 0. They may be the same.
using RowSoftmax = void (*)(const float* x, float* result, std::size_t length);

namespace baseline {
extern const RowSoftmax softmax_row;
}
namespace v3 {
extern const RowSoftmax softmax_row;
}
namespace v4 {
extern const RowSoftmax softmax_row;
}

}  // namespace attn
