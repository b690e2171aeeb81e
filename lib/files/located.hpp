// The error for a place in a text: file, line and column, the line itself, and a caret below the place.
#pragma once

#include "text/message.hpp"

#include <cstddef>
#include <string_view>

namespace attn {

// Throws Error with "origin:line:column: problem", the line and the caret. `offset` is the byte in question,
// text.size() for the end; columns count code points. Of a long line a window around the place is shown.
[[noreturn]] void fail_at(std::string_view text, std::size_t offset, std::string_view origin,
                          const Message& problem);

}  // namespace attn
