// What every text passes before it is read as JSON or as what somebody pasted: it is UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace attn {

inline constexpr std::size_t max_text_bytes = std::size_t{256} << 20U;  // some 25 million numbers in JSON

// The text without a UTF-8 byte order mark, which Windows editors put before what is otherwise right. Throws
// Error, with "origin:line:column" and the line, for the byte order mark of another encoding, for a second
// mark, for a NUL byte, for what is no UTF-8, and for too much text.
std::string_view utf8_text(std::string_view text, std::string_view origin);

}  // namespace attn
