#include "files/inflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>

namespace attn {

namespace {

constexpr int raw_deflate = -MAX_WBITS;  // no header of zlib's own, as in ZIP
constexpr std::size_t piece = std::size_t{1} << 16U;

// zlib counts what it is given in 32 bits.
uInt some_of(std::size_t size) {
    return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

const Bytef* data(std::string_view bytes) {
    return reinterpret_cast<const Bytef*>(bytes.data());
}

}  // namespace

std::optional<std::string> inflate(std::string_view deflated, std::size_t most) {
    z_stream stream{};
    if (inflateInit2(&stream, raw_deflate) != Z_OK) {
        throw std::bad_alloc();
    }
    const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
    std::string result;
    std::size_t size = 0;
    for (int status = Z_OK; status != Z_STREAM_END && size < most;) {
        result.resize(std::min(most, size + std::max(piece, size)));
        stream.next_in = const_cast<Bytef*>(data(deflated));  // which it only reads
        stream.avail_in = some_of(deflated.size());
        stream.next_out = reinterpret_cast<Bytef*>(result.data() + size);
        stream.avail_out = some_of(result.size() - size);
        const uInt room = stream.avail_out;
        status = ::inflate(&stream, Z_NO_FLUSH);
        deflated.remove_prefix(some_of(deflated.size()) - stream.avail_in);
        size += room - stream.avail_out;
        if (status == Z_MEM_ERROR) {
            throw std::bad_alloc();
        }
        if (status != Z_OK && status != Z_STREAM_END) {
            return std::nullopt;  // damaged, or cut off: without progress it says Z_BUF_ERROR
        }
    }
    result.resize(size);
    return result;
}

std::uint32_t crc32(std::string_view bytes, std::uint32_t so_far) {
    return static_cast<std::uint32_t>(::crc32_z(so_far, data(bytes), bytes.size()));
}

}  // namespace attn
