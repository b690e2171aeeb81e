// Sentences laid out for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attn {

inline constexpr std::size_t prose_width = 80;

// The text in lines of at most so many columns; ends with a line break. Lines end at spaces, and in scripts
// that have none between their characters. What cannot be broken and is longer has a line of its own.
std::string wrapped(std::string_view prose, std::size_t columns = prose_width);

}  // namespace attn
