// Sentences laid out for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace attn {

// The text in lines of at most 80 columns, broken at spaces; ends with a line break. A longer word has a line
// of its own.
std::string wrapped(std::string_view prose);

}  // namespace attn
