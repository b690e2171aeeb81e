// Sentences laid out for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace attn {

// The text in lines of at most 80 columns; ends with a line break. Lines end at spaces, and in scripts that
// have none between their characters. What cannot be broken and is longer has a line of its own.
std::string wrapped(std::string_view prose);

}  // namespace attn
