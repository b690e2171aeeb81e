// Widths in terminal columns: measures, cuts and pads text. Text from outside must go through printable
// first, because control characters are not handled here.
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

// Returns the glyph that begins at text[at]; requires at < text.size().
Glyph glyph_at(std::string_view text, std::size_t at);

std::size_t display_width(std::string_view text);

// The text; if it is wider than `columns` (at least 1), cut and ended with "…".
std::string cut_to(std::string_view text, std::size_t columns);

// The text, padded with spaces on the right or on the left to `columns`.
std::string pad_right(std::string_view text, std::size_t columns);
std::string pad_left(std::string_view text, std::size_t columns);

// True if a line may break between two neighbouring glyphs of one word. It may beside a character of a script
// without spaces, but never between punctuation and the text it closes or opens.
bool may_break_between(const Glyph& before, const Glyph& after);

}  // namespace attn
