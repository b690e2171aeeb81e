// .safetensors files: eight bytes with the length of the header, the header as JSON, and the numbers of all
// tensors. The format is described at github.com/huggingface/safetensors.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/tensor_file.hpp"

namespace attn {

// Returns true if the bytes begin like a .safetensors file. No text begins so, because texts contain no NUL
// byte.
bool is_safetensors(std::string_view bytes);

// Throws Error for a damaged file.
std::shared_ptr<const TensorFile> open_safetensors(const Bytes& bytes, const std::string& origin);

// Returns the beginning of a file with these float32 tensors. Their numbers must follow, in this order.
std::string safetensors_header(const std::vector<std::pair<std::string, Shape>>& tensors,
                               const std::vector<std::pair<std::string, std::string>>& metadata);

}  // namespace attn
