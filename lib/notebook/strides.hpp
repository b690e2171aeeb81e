// The strides that a node has in PyTorch. Our own tensors are always row-major, but PyTorch's transpose and
// view only change the strides. All other results count as row-major. PyTorch does the same for products,
// softmax and stack, and for elementwise arithmetic on row-major tensors. Only elementwise arithmetic on a
// transposed tensor keeps its order in PyTorch; this is not imitated.
#pragma once

#include <cstddef>

#include "notebook/notebook.hpp"
#include "tensor/strided.hpp"

namespace attn {

// Throws Error for a view that its operand's strides do not allow. torch: x.stride()
Strides strides(const Notebook& notebook, std::size_t id);

// Returns true if these strides are row-major; the stride of an axis of size 1 does not matter. torch:
// x.is_contiguous()
bool is_row_major(const Shape& shape, const Strides& strides);

// Returns true if a call changes only the order or the shape of its operand: x.view(…), x.transpose(…),
// x.contiguous()
bool rearranges(const Notebook& notebook, std::size_t id);

// Returns the node that owns the memory: for a view, the original tensor, otherwise the node itself. torch:
// x._base
std::size_t memory_of(const Notebook& notebook, std::size_t node);

}  // namespace attn
