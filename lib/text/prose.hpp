// Wraps sentences for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attn {

inline constexpr std::size_t prose_width = 80;

// Wraps the text at `columns` and ends it with a line break. Lines break at spaces, or between characters in
// scripts without spaces. A word longer than a line gets its own line.
std::string wrapped(std::string_view prose, std::size_t columns = prose_width);

// Writes a head and, to its right, the wrapped text with a hanging indent. A column that would be too narrow
// is widened.
std::string hanging(std::string_view head, std::string_view prose, std::size_t columns = prose_width);

// Appends a sentence after a space; full stops of East Asian scripts need no space.
void add_sentence(std::string& text, std::string_view sentence);

}  // namespace attn
