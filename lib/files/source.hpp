// All input of the program is read here: a whole file, standard input, or single lines while they are typed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace attn {

// The most bytes read from files, pipes and devices; and from files that may be the weights of a large model.
inline constexpr std::uint64_t max_device_bytes = std::uint64_t{1} << 20U;  // /dev/zero has no end
inline constexpr std::uint64_t max_source_bytes = std::uint64_t{256} << 20U;
inline constexpr std::uint64_t max_weights_bytes = std::uint64_t{64} << 30U;

// Returns all bytes of a file; "-" is standard input. Throws Error when the file is missing, a folder,
// unreadable, empty or too large.
std::string read_source(const std::string& path);

// Returns true if the path leads to a file that read_source() or read_line() has read, under whatever name
// and through whatever links. Pipes and devices do not count.
bool was_read(const std::string& path);

// Returns a path as messages name it: the path itself, or "standard input".
std::string source_name(const std::string& path);

// Returns the next line of standard input without its line break, or nothing at the end of the input
// (Ctrl-D). Throws Error when the input cannot be read.
std::optional<std::string> read_line();

}  // namespace attn
