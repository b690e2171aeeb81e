// .safetensors: eight bytes with the length of the header, the header, which is JSON, and the numbers of all
// tensors. (github.com/huggingface/safetensors describes it.)
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/tensor_file.hpp"

namespace attn {

// True if the bytes begin as such a file does; no text does, because text has no NUL byte.
bool is_safetensors(std::string_view bytes);

// Throws Error for a damaged file.
std::shared_ptr<const TensorFile> open_safetensors(const Bytes& bytes, const std::string& origin);

// Everything before the numbers of these float32 tensors, which follow in this order.
std::string safetensors_header(const std::vector<std::pair<std::string, Shape>>& tensors,
                               const std::vector<std::pair<std::string, std::string>>& metadata);

}  // namespace attn
