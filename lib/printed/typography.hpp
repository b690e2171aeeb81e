// Replaces characters that word processors, chats, web pages and Chinese keyboards use instead of ASCII.
#pragma once

#include <string>
#include <string_view>

namespace attn {

// Returns the text with ASCII instead of curly quotes, dashes before numbers, full-width characters,
// box-drawing lines, special blanks, and HTML entities and tags. A row of an HTML table ends with LaTeX's
// `\\`. Line breaks are kept.
std::string with_ascii_signs(std::string_view text);

}  // namespace attn
