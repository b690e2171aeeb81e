// The only way bytes come in: a whole file or standard input, read at once. What they mean is read elsewhere.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace attn {

// How many bytes are read of one file at most; nothing: default_max_input_bytes of what is read at once, and
// any number of a file that is mapped.
using InputLimit = std::optional<std::size_t>;
inline constexpr std::size_t default_max_input_bytes = std::size_t{256}
                                                       << 20U;  // some 25 million numbers in JSON

// All bytes of a file; "-" is standard input. Throws Error when it is missing, a folder, unreadable, empty or
// larger than the limit.
std::string read_source(const std::string& path, InputLimit limit = {});

// Throws Error when that many bytes are more than the limit.
void require_readable_size(const std::string& path, std::size_t size, std::size_t limit);

// Whether a second read_source() would find the same: not of standard input, nor of a pipe.
bool can_be_read_again(const std::string& path);

// How messages name a path: the path itself, or "standard input".
std::string source_name(const std::string& path);

}  // namespace attn
