// Tensors that a stage brings along, where the reader's lesson is not what it is about. They lie in data/.
#pragma once

#include <string_view>

#include "tensor/tensor.hpp"

namespace attn {

// The tensor under `name` in a file of data/. Declared here and defined in lib/stages/shipped.cpp, for stages
// know nothing of files. Throws std::logic_error when there is no such file, Error when there is no such
// tensor.
Tensor shipped(std::string_view file, std::string_view name);

}  // namespace attn
