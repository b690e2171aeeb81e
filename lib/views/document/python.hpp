// The code of a walkthrough as a Python program, which prints the same tensors.
#pragma once

#include "views/document/blocks.hpp"

namespace attn {

// Writes the code, with headings as comments.
void write_python(const WriteBytes& write, const Blocks& blocks, const Style& style);

}  // namespace attn
