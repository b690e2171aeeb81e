// Outside text (tokens, file names, keys) made safe to show: it can neither command a terminal nor pretend to
// be other text. Escaping for HTML and JSON is done
// where those are written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attn {

// True if a terminal obeys this code point, or shows nothing or other text for it: C0, DEL, C1, controls of
// writing direction, zero-width and other invisible characters, line and paragraph separators. Joiners count
// as controls, variation selectors do not; a joined emoji is shown as its parts.
bool is_deceptive(char32_t code_point);

// The text with deceptive code points and ill-formed bytes spelled out, `\x1b`, `\u202e` or `\U000e0041`,
// everything else unchanged; of more than `most` code points the first ones and `…`.
std::string printable(std::string_view untrusted, std::size_t most = std::string_view::npos);

// The same in double quotes and short enough for a message.
std::string in_quotes(std::string_view untrusted);

// A string of Python that is this text, in double quotes: with deceptive code points as Python spells them.
// Bytes that are no UTF-8 read as Latin-1.
std::string python_literal(std::string_view untrusted);

}  // namespace attn
