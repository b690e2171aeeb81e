// The numbers of printed tensors.
#pragma once

#include <string>

#include "printed/tensor.hpp"
#include "tensor/tensor.hpp"

namespace attn {

// Returns the numbers of a printed tensor that leaves none out.
Tensor numbers_of(const PrintedTensor& printed);
// Returns the numbers of the only tensor of a file. Throws Error for a file with more or fewer.
Tensor only_tensor(const std::string& path);

}  // namespace attn
