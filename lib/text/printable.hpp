// Makes text from outside (tokens, file names, keys) safe to show: it cannot control a terminal, and cannot
// look like other text. Escaping for HTML and JSON is done where those are written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attn {

// True if a code point controls a terminal, or is invisible or misleading: C0, DEL, C1, bidirectional
// controls, zero-width characters, line and paragraph separators, noncharacters. Joiners count, too, so a
// joined emoji is shown as its parts; variation selectors do not count.
bool is_deceptive(char32_t code_point);

// Spells out deceptive code points and ill-formed bytes: `\x1b`, `\u202e` or `\U000e0041`. Cuts text of more
// than `most` code points and adds `…`.
std::string printable(std::string_view untrusted, std::size_t most = std::string_view::npos);

// Returns the printable text in double quotes, cut to a length that fits a message.
std::string in_quotes(std::string_view untrusted);

// Returns a message in which words that no reader wants to see whole, such as a path of thousands of
// characters, are cut.
std::string with_short_words(std::string_view text);

// A Python string literal of this text, in double quotes, with escapes for deceptive code points. Bytes that
// are not UTF-8 are read as Latin-1.
std::string python_literal(std::string_view untrusted);

}  // namespace attn
