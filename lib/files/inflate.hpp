// Deflate and CRC-32, with zlib. The browser program has no zlib: app/web/zip.mjs inflates a file before the
// program gets it, and app/web/system/files/inflate.cpp replaces this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace attn {

// Inflates at most `most` bytes, fewer if the data end early or are damaged.
std::string inflate(std::string_view deflated, std::size_t most);

// Continues the CRC-32 of ZIP files; `so_far` is the CRC-32 of all bytes before.
std::uint32_t crc32(std::string_view bytes, std::uint32_t so_far = 0);

}  // namespace attn
