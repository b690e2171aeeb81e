// Sentences laid out for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attn {

inline constexpr std::size_t prose_width = 80;

// The text in lines of at most so many columns; ends with a line break. Lines end at spaces, and in scripts
// that have none between their characters. A longer unbreakable word has a line of its own.
std::string wrapped(std::string_view prose, std::size_t columns = prose_width);

// A head, and behind it the text, whose further lines are set in as far; a column too narrow for that is as
// wide as it takes.
std::string hanging(std::string_view head, std::string_view prose, std::size_t columns = prose_width);

// Adds a sentence to those before it, a space between them; a full stop of East Asian scripts has its own.
void add_sentence(std::string& text, std::string_view sentence);

}  // namespace attn
