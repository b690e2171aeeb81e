// Characters that word processors, chats, web pages and Chinese keyboards put in the place of ASCII, undone.
#pragma once

#include <string>

namespace attn {

// Makes curly quotes, dashes before numbers, brackets, commas and digits of full width, box-drawing lines,
// spaces of other widths, HTML's entities and tags what they stand for, padded with blanks, so that every
// byte behind keeps its place. A row of an HTML table ends in LaTeX's `\\`.
void make_ascii(std::string& text);

}  // namespace attn
