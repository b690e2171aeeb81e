// First step of reading a paste: converts bytes of any usual encoding to UTF-8, and typographic signs such as
// curly quotes and long minus signs to ASCII.
#pragma once

#include <string>
#include <string_view>

#include "tensor/error.hpp"

namespace attn {

// More text, tensors or numbers than one text may have.
class OverLimit : public Error {
    using Error::Error;
};

// Throws Error for bytes that are not text; the message names well-known formats.
void refuse_binary(std::string_view bytes, std::string_view origin);

// Returns the paste as UTF-8, without terminal colours. UTF-16 with a byte order mark is converted, because
// PowerShell's `>` writes it. Throws Error for other encodings, and OverLimit for too
// much text.
std::string decode_paste(std::string_view bytes, std::string_view origin);

// Returns the text with ASCII in place of curly quotes, dashes before numbers, full-width signs and digits,
// box-drawing lines, special blanks, and HTML's entities. Line breaks are kept.
std::string with_ascii_signs(std::string_view text);

}  // namespace attn
