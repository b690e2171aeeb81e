#include "files/utf8_text.hpp"

#include <cstdint>
#include <cstring>

#include "files/located.hpp"
#include "text/utf8.hpp"

namespace attn {

namespace {

// Whether the next bytes are there and ASCII but for NUL, as nearly all are: eight at a glance.
constexpr std::size_t plain_bytes = sizeof(std::uint64_t);
bool is_plain(std::string_view text, std::size_t at) {
    if (text.size() - at < plain_bytes) {
        return false;
    }
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, plain_bytes);
    constexpr std::uint64_t high_bits = 0x8080808080808080;
    constexpr std::uint64_t ones = 0x0101010101010101;
    return ((bytes | (bytes - ones)) & high_bits) == 0;  // a borrow sets the high bit of a zero byte
}

}  // namespace

std::string_view utf8_text(std::string_view text, std::string_view origin) {
    // UTF-32 in the usual order begins as UTF-16 does.
    for (const std::string_view mark :
         {std::string_view("\xFF\xFE"), std::string_view("\xFE\xFF"), std::string_view("\0\0\xFE\xFF", 4)}) {
        if (text.starts_with(mark)) {
            fail_at(text, 0, origin, "a byte order mark of UTF-16 or UTF-32; save the file as UTF-8.");
        }
    }
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) {
        text.remove_prefix(byte_order_mark.size());
    }
    if (text.starts_with(byte_order_mark)) {
        fail_at(text, 0, origin, "a second byte order mark; remove it.");
    }
    for (std::size_t i = 0; i < text.size();) {
        if (is_plain(text, i)) {
            i += plain_bytes;
            continue;
        }
        const CodePoint at = decode_utf8(text, i);
        if (!at.valid) {
            fail_at(text, i, origin, "this byte is no UTF-8; save the file as UTF-8.");
        }
        if (at.value == 0) {
            fail_at(text, i, origin, "a NUL byte, as in UTF-16; text holds none: save the file as UTF-8.");
        }
        i += at.length;
    }
    return text;
}

}  // namespace attn
