// Columns of a terminal: how many a text takes, and texts cut or filled to so many. Control characters are no
// business of ours: text from outside goes through printable first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attn {

// A grapheme: a letter with its accents, an emoji of several code points.
struct Glyph {
    std::string_view bytes;
    std::size_t columns;  // 2 for East Asian wide characters and emoji, 0 for a combining mark on its own
};

// The glyph that begins at text[at]; at < text.size().
Glyph glyph_at(std::string_view text, std::size_t at);

std::size_t display_width(std::string_view text);

// The text, or as much of it as leaves room for "…" when it is wider than `columns`, which is 1 or more.
std::string cut_to(std::string_view text, std::size_t columns);

// The text with spaces behind it, or before it, up to `columns`.
std::string pad_right(std::string_view text, std::size_t columns);
std::string pad_left(std::string_view text, std::size_t columns);

// True if a line may end between two neighbouring glyphs of one word. It may beside a character of a script
// without spaces, unless it parts closing punctuation from what it closes or opening from what it opens.
bool may_break_between(const Glyph& before, const Glyph& after);

}  // namespace attn
