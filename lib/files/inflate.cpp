#include "files/inflate.hpp"

#include <zlib.h>

#include <new>

namespace attn {

std::string inflate(std::string_view deflated, std::size_t most) {
    std::string result(most, '\0');
    z_stream stream{};
    // Zlib does not change these bytes.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(deflated.data()));
    stream.avail_in = uInt(deflated.size());
    stream.next_out = reinterpret_cast<Bytef*>(result.data());
    stream.avail_out = uInt(most);
    constexpr int without_header = -MAX_WBITS;
    if (inflateInit2(&stream, without_header) != Z_OK || ::inflate(&stream, Z_SYNC_FLUSH) == Z_MEM_ERROR) {
        throw std::bad_alloc();
    }
    inflateEnd(&stream);
    result.resize(most - stream.avail_out);
    return result;
}

std::uint32_t crc32(std::string_view bytes, std::uint32_t so_far) {
    return std::uint32_t(::crc32_z(so_far, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace attn
