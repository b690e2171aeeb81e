// The only way bytes come in: a whole file or standard input, read at once, or lines while they are typed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace attn {

inline constexpr std::uint64_t max_file_bytes = std::uint64_t{64} << 30U;
inline constexpr std::uint64_t max_stream_bytes = std::uint64_t{256} << 20U;  // of a pipe or device

// All bytes of a file; "-" is standard input. Throws Error when it is missing, a folder, unreadable, empty or
// too large.
std::string read_source(const std::string& path);

// How messages name a path: the path itself, or "standard input".
std::string source_name(const std::string& path);

// The next line of standard input without its end; nothing at the end of the input (Ctrl-D). Throws an Error
// when it cannot be read.
std::optional<std::string> read_line();

}  // namespace attn
