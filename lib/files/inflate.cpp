#include "files/inflate.hpp"

#if defined(__wasi__)

std::optional<std::string> attn::inflate(std::string_view, std::uint32_t) {
    return std::nullopt;
}

#else

#include <zlib.h>

#include <new>

namespace attn {

std::optional<std::string> inflate(std::string_view deflated, std::uint32_t most) {
    std::string result(most, '\0');
    z_stream stream{};
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(deflated.data()));  // it only reads them
    stream.avail_in = static_cast<uInt>(deflated.size());
    stream.next_out = reinterpret_cast<Bytef*>(result.data());
    stream.avail_out = most;
    constexpr int without_header = -MAX_WBITS;
    int status = inflateInit2(&stream, without_header);
    if (status == Z_OK) {
        status = ::inflate(&stream, Z_SYNC_FLUSH);
        inflateEnd(&stream);
    }
    if (status == Z_MEM_ERROR) {
        throw std::bad_alloc();
    }
    if (status != Z_OK && status != Z_STREAM_END && stream.avail_out > 0) {
        return std::nullopt;
    }
    result.resize(most - stream.avail_out);
    return result;
}

}  // namespace attn

#endif
