// The strides that a node has in PyTorch. Our own tensors are always row-major; PyTorch's transpose and view
// move nothing and only change the strides. All other results count as row-major. This is right for products,
// softmax and stack, and for elementwise arithmetic on row-major operands. On a transposed tensor, PyTorch
// keeps that tensor's order, which we do not imitate.
#pragma once

#include <cstddef>

#include "notebook/notebook.hpp"

namespace attn {

// Throws Error for a view that its operand's strides do not allow. torch: x.stride()
Strides strides(const Notebook& notebook, std::size_t id);

// Returns true if these strides are row-major; the stride of an axis of size 1 does not matter. torch:
// x.is_contiguous()
bool is_row_major(const Shape& shape, const Strides& strides);

// Returns the node whose memory a node uses: itself, or the tensor of which it is a view. torch: x._base
std::size_t memory_of(const Notebook& notebook, std::size_t node);

}  // namespace attn
