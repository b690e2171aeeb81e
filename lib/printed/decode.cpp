#include "printed/decode.hpp"

#include <algorithm>
#include <cstddef>

#include "files/utf8_text.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/printable.hpp"
#include "text/terminal.hpp"
#include "text/utf8.hpp"

namespace attn {

namespace {

constexpr std::size_t max_paste_bytes = std::size_t{64} << 20U;

// Converts UTF-16 with a byte order mark to UTF-8; other bytes stay.
std::string utf8_of(std::string_view bytes) {
    const bool little = bytes.starts_with("\xFF\xFE");
    const bool utf32 = little && bytes.substr(2).starts_with(std::string_view("\0\0", 2));
    if ((!little && !bytes.starts_with("\xFE\xFF")) || utf32 || bytes.size() % 2 != 0) {
        return std::string(bytes);
    }
    const auto unit = [&](std::size_t at) -> char32_t {
        const char32_t first = static_cast<unsigned char>(bytes[at]);
        const char32_t second = static_cast<unsigned char>(bytes[at + 1]);
        return little ? first | second << 8U : first << 8U | second;
    };
    std::string text;
    for (std::size_t at = 2; at < bytes.size(); at += 2) {
        char32_t code = unit(at);
        if (code >= 0xD800 && code <= 0xDFFF) {
            const char32_t low = at + 3 < bytes.size() ? unit(at + 2) : 0;
            const bool is_pair = code < 0xDC00 && low >= 0xDC00 && low <= 0xDFFF;
            code = is_pair ? 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00) : 0xFFFD;
            at += is_pair ? 2 : 0;
        }
        append_utf8(code, text);
    }
    return text;
}

}  // namespace

std::string decode_paste(std::string_view bytes, std::string_view origin) {
    if (bytes.size() > max_paste_bytes) {
        throw Error("{}: more than {} bytes of text, the limit.", printable(origin), max_paste_bytes);
    }
    const std::string text = utf8_of(bytes);
    return without_escapes(utf8_text(text, origin));
}

void replace_decimal_commas(std::string& text) {
    const auto digits_end = [&](std::size_t at) {
        while (at < text.size() && is_digit(text[at])) {
            ++at;
        }
        return at;
    };
    bool brackets = false;
    bool even = true;         // after every comma within a number, equally many digits follow
    bool neighbours = false;  // two numbers with commas are next to each other
    bool separators = false;  // not only commas separate the numbers
    std::size_t decimals = 0;
    std::size_t last_end = 0;  // the end of the last number with a comma
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        brackets = brackets || c == '[' || c == '{';
        const bool in_number =
            at > 0 && is_digit(text[at - 1]) && at + 1 < text.size() && is_digit(text[at + 1]);
        if (c == '.' && in_number) {
            return;
        }
        if (c != ',' || !in_number) {
            continue;
        }
        const std::size_t end = digits_end(at + 1);
        if (at - 1 < last_end ||
            (end < text.size() && text[end] == ',' && is_digit(text[std::min(end + 1, text.size() - 1)]))) {
            return;  // `1,2,3`
        }
        std::size_t begin = at;
        while (begin > last_end && (is_digit(text[begin - 1]) || text[begin - 1] == '-')) {
            --begin;
        }
        if (last_end > 0) {
            const std::string_view between = std::string_view(text).substr(last_end, begin - last_end);
            const bool apart = between.find_first_not_of(" \t;,|&\"'") == std::string_view::npos;
            neighbours = neighbours || apart;
            separators = separators || (apart && between.find(',') == std::string_view::npos);
        }
        even = even && (last_end == 0 || end - at - 1 == decimals);
        decimals = end - at - 1;
        last_end = end;
    }
    const bool telling = even && decimals > 1;
    if (last_end == 0 || !(brackets ? telling && neighbours : separators || telling)) {
        return;
    }
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == ';') {
            text[at] = ',';
        } else if (text[at] == ',' && at > 0 && is_digit(text[at - 1]) && at + 1 < text.size() &&
                   is_digit(text[at + 1])) {
            text[at] = '.';
        }
    }
}

}  // namespace attn
