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
    std::size_t columns;  // 2 for East Asian wide characters and emoji, 0 for a single combining mark
};

// Returns the glyph that begins at text[at]; requires at < text.size().
Glyph glyph_at(std::string_view text, std::size_t at);

std::size_t display_width(std::string_view text);

// Returns the text. If it is wider than `columns` (at least 1), it is cut and ends with "…".
std::string cut_to(std::string_view text, std::size_t columns);

// Return the text with spaces on its right or left, up to a width of `columns`.
std::string pad_right(std::string_view text, std::size_t columns);
std::string pad_left(std::string_view text, std::size_t columns);

// Returns true if a line may break between two neighbouring glyphs of a word. It may break next to a
// character of a script without spaces, but never between punctuation and the text that it closes or opens.
bool may_break_between(const Glyph& before, const Glyph& after);

}  // namespace attn
