// Characters that word processors, chats, web pages and Chinese keyboards put in the place of ASCII, undone.
#pragma once

#include <string>
#include <string_view>

namespace attn {

// The text with ASCII for curly quotes, dashes before numbers, signs and digits of full width, box-drawing
// lines, blanks of other widths, and HTML's entities and tags. A row of an HTML table ends in LaTeX's `\\`.
// Lines stay lines.
std::string with_ascii_signs(std::string_view text);

}  // namespace attn
