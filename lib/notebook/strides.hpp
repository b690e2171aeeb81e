// Where the numbers of a node lie in PyTorch's memory. Our own tensors always lie row by row; PyTorch's
// transpose and view move nothing and only count differently, which shows in their strides. Any other result
// counts as lying row by row, which products, softmax and stack give. Expr cell by cell does so only
// for operands that lie row by row; on a transposed tensor PyTorch keeps that tensor's order, and we do not
// follow it there.
#pragma once

#include <cstddef>

#include "notebook/notebook.hpp"

namespace attn {

// Throws Error for a view that its operand's strides do not allow. torch: x.stride()
Strides strides(const Notebook& notebook, std::size_t id);

// True if numbers so far apart lie row by row; an axis of size 1 has no neighbours to be apart. torch:
// x.is_contiguous()
bool is_row_major(const Shape& shape, const Strides& strides);

// The node whose memory a node reads: its own, or that of the tensor it is a view of.
// torch: x._base
std::size_t memory_of(const Notebook& notebook, std::size_t node);

}  // namespace attn
