// Deflate (RFC 1951), which NumPy's savez_compressed uses, and the checksum of ZIP: zlib, behind two
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace attn {

// The first `most` bytes of what was deflated, or all of it when it is less. Memory grows with what comes
// out, never with what somebody claims will. Nothing when the bytes are no deflated data.
std::optional<std::string> inflate(std::string_view deflated, std::size_t most);

// The CRC-32 of ZIP, PNG and zlib; pass the last result to go on.
std::uint32_t crc32(std::string_view bytes, std::uint32_t so_far = 0);

}  // namespace attn
