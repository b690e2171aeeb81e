// Errors with a place: line and column of a text, with this line and a caret below it, or the JSON pointer of
// a value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "text/message.hpp"

namespace attn {

// Throws Error with "origin:line:column: problem", the line and the caret. `offset` is the position of the
// wrong byte; text.size() means the end. Columns are counted in code points. If the line is long,
// only the part around the place is shown.
[[noreturn]] void fail_at(std::string_view text, std::size_t offset, std::string_view origin,
                          const Message& problem);

// "/embeddings/2" + "a/b" → "/embeddings/2/a~1b" (RFC 6901).
std::string json_pointer(std::string_view parent, std::string_view key);

// Throws Error with "origin: at /pointer: problem", or with "origin: problem" for the root, whose pointer is
// empty.
[[noreturn]] void fail_at_pointer(std::string_view origin, std::string_view pointer, const Message& problem);

}  // namespace attn
