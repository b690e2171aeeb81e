// Checks that text is valid UTF-8 before it is read as JSON or as a paste.
#pragma once

#include <cstddef>
#include <string_view>

namespace attn {

inline constexpr std::size_t max_text_bytes = std::size_t{256} << 20U;  // about 25 million numbers in JSON

// Returns the text without a UTF-8 byte order mark, which some Windows editors add. Throws Error with
// "origin:line:column" and the line for a NUL byte and for ill-formed UTF-8. Throws Error also when the text
// is too long.
std::string_view utf8_text(std::string_view text, std::string_view origin);

}  // namespace attn
