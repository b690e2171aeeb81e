// Reads the tensors of a user's file: from .npy, .npz or .safetensors, or printed in a text.
#pragma once

#include <string>

#include "files/tensor_file.hpp"
#include "printed/reader.hpp"

namespace attn {

// Returns at least one tensor. Throws Error if the file cannot be read; for binary files of other formats,
// the message names the format.
PrintedText load_tensors(const Bytes& bytes, const std::string& origin);

}  // namespace attn
