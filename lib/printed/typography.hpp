// Replaces characters that word processors, chats, web pages and Chinese keyboards use instead of ASCII.
#pragma once

#include <string>
#include <string_view>

namespace attn {

// Returns the text with ASCII in place of curly quotes, dashes before numbers, full-width signs and digits,
// box-drawing lines, special blanks, and HTML's entities. Line breaks are kept.
std::string with_ascii_signs(std::string_view text);

}  // namespace attn
