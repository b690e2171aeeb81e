// The tensors of a user's file: the array of a .npy, all arrays of a .npz or a .safetensors with their names,
// or the tensors printed in a text.
#pragma once

#include <string>

#include "files/source.hpp"
#include "printed/reader.hpp"

namespace attn {

// Returns at least one tensor. Throws Error as the readers of the formats do. For any other binary file, it
// throws Error with the kind of file.
PrintedText load_tensors(const std::string& path);

}  // namespace attn
