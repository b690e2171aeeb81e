// The numbers of a printed tensor.
#pragma once

#include "printed/tensor.hpp"
#include "tensor/tensor.hpp"

namespace attn {

// Returns the numbers of a printed tensor that leaves none out.
Tensor numbers_of(const PrintedTensor& printed);

}  // namespace attn
