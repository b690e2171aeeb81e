// Replaces zlib: app/web/zip.mjs has already inflated compressed members.
#include "files/inflate.hpp"

namespace attn {

std::string inflate(std::string_view, std::size_t) {
    return "";
}

std::uint32_t crc32(std::string_view bytes, std::uint32_t so_far) {
    std::uint32_t crc = ~so_far;
    for (const char c : bytes) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) {
            crc = crc >> 1U ^ (crc % 2 == 0 ? 0 : 0xEDB88320U);
        }
    }
    return ~crc;
}

}  // namespace attn
