// The tensors of a user's file: the array of a .npy, all arrays of a .npz or a .safetensors by name, or the
// tensors printed in a text.
#pragma once

#include <string>

#include "files/source.hpp"
#include "printed/reader.hpp"

namespace attn {

// There is at least one. Throws Error as the readers of each format do, and for a binary file of another
// kind, which the message names.
PrintedText load_tensors(const std::string& path);

}  // namespace attn
