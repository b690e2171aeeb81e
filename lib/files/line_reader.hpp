// Lines from standard input while they are typed, or from a pipe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace attn {

inline constexpr std::size_t max_line_bytes = 4096;

// The next line without its end; the beginning of one longer than max_line_bytes. Nothing at the end of the
// input (Ctrl-D). Throws Error when it cannot be read.
std::optional<std::string> read_line();

}  // namespace attn
