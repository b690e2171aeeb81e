// The layout of .safetensors: eight bytes that say how long the header is, the header, which is JSON, and the
// numbers of all tensors without a gap. (github.com/huggingface/safetensors describes it.)
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/tensor.hpp"

namespace attn {

inline constexpr std::size_t max_safetensors_header = 100'000'000;  // the limit of the reference

// Whether the bytes begin as such a file does; no text does, for one holds no NUL byte.
bool is_safetensors(std::string_view bytes);

// All that stands before the numbers of these float32 tensors, which follow in this order.
std::string safetensors_header(const std::vector<std::pair<std::string, Shape>>& tensors,
                               const std::vector<std::pair<std::string, std::string>>& metadata);

}  // namespace attn
