// Deflate and its checksum, with zlib. In the browser, where there is none, app/web/zip.mjs inflates a file
// before the program gets it, and app/web/system/files/inflate.cpp stands for this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace attn {

// Returns the first `most` bytes that raw deflate data inflate to; fewer where the data end or are damaged.
std::string inflate(std::string_view deflated, std::size_t most);

// The CRC-32 of ZIP files: of these bytes after those that gave `so_far`.
std::uint32_t crc32(std::string_view bytes, std::uint32_t so_far = 0);

}  // namespace attn
