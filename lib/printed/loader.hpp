// The tensors of a file that somebody hands over: an array of a .npy, or all of a .npz or a .safetensors,
// each under its own name, and otherwise those that a text prints.
#pragma once

#include <string>

#include "files/source.hpp"
#include "printed/reader.hpp"

namespace attn {

// There is at least one. Throws Error, as those do that read the kinds of files, and for a file that is no
// text, saying what it seems to be.
PrintedText load_tensors(const std::string& path);

}  // namespace attn
