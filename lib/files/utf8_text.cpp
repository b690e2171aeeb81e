#include "files/utf8_text.hpp"

#include "files/located.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

namespace attn {

std::string_view utf8_text(std::string_view text, std::string_view origin) {
    if (text.size() > max_text_bytes) {
        throw Error("{}: more than {} bytes of text, the limit.", printable(origin), max_text_bytes);
    }
    if (text.starts_with("PK\x03\x04")) {
        throw Error("{}: a ZIP archive, such as a spreadsheet; save a table as CSV.", printable(origin));
    }
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) {
        text.remove_prefix(byte_order_mark.size());
    }
    for (std::size_t i = 0; i < text.size();) {
        const CodePoint at = decode_utf8(text, i);
        if (!at.valid || (i == 0 && at.value == U'\uFEFF')) {
            fail_at(text, i, origin, "this byte is not valid UTF-8; save the file as UTF-8.");
        }
        if (at.value == 0) {
            fail_at(text, i, origin, "a NUL byte, as in UTF-16; save the file as UTF-8.");
        }
        i += at.length;
    }
    return text;
}

}  // namespace attn
