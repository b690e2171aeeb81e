// Separates tensors that stand side by side, as some people print them.
#pragma once

#include <string_view>
#include <vector>

#include "printed/tokens.hpp"

namespace attn {

// Moves the tokens of the right tensor behind those of the left one. A right tensor begins with `tensor(`,
// `array(` or `[[` in a line that leaves brackets of the left one open, after at least two blanks.
void separate_columns(std::string_view text, std::vector<Token>& tokens);

}  // namespace attn
