// A document for LaTeX with amsmath; printed tensors become matrices.
#pragma once

#include "views/document/blocks.hpp"

namespace attn {

void write_latex(const WriteBytes& write, const Blocks& blocks, const Style& style);

}  // namespace attn
