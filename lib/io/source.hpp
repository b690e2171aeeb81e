// The only way bytes come in: a whole file or standard input, read at once. What they mean is read elsewhere.
#pragma once

#include <cstddef>
#include <string>

namespace attn {

inline constexpr std::size_t max_source_bytes = std::size_t{256} << 20U;  // a JSON of some 25 million numbers

// All bytes of a file; "-" is standard input. Throws Error when it is missing, a folder, unreadable, empty or
// larger than `limit`.
std::string read_source(const std::string& path, std::size_t limit = max_source_bytes);

// Throws Error when that many bytes are more than the limit.
void require_readable_size(const std::string& path, std::size_t size, std::size_t limit);

// How messages name a path: the path itself, or "standard input".
std::string source_name(const std::string& path);

}  // namespace attn
