#include "io/json_text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "io/located.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

namespace attn {

namespace {

// nlohmann's message is "[…] parse error at line 1, column 5: syntax error while parsing value - unexpected
// ']'; expected …" or "… - invalid literal; last read: '…'". Its middle is good; the place, and the text
// shown, are better told by us.
std::string reason(std::string_view message) {
    if (const std::size_t dash = message.find(" - "); dash != std::string_view::npos) {
        message.remove_prefix(dash + 3);
    }
    std::string words(message.substr(0, message.find("; last read: ")));
    for (const std::string_view closing : {"expected ']'", "expected '}'"}) {
        if (words.ends_with(closing)) {
            words.insert(words.size() - 3, "',' or ");
        }
    }
    return words;
}

// How many of the bytes read last are the trouble: all of a token in the wrong place, one of a malformed one.
// Only for strings and numbers does `token` hold the token and nothing before it.
std::size_t length_read(std::string_view reason, std::string_view token) {
    if (reason.starts_with("unexpected string") || reason.starts_with("unexpected number")) {
        return token.size();
    }
    for (const std::string_view word : {"true", "false", "null"}) {
        if (reason.starts_with("unexpected " + std::string(word))) {
            return word.size();
        }
    }
    return 1;
}

// What the writer most likely did, judged by the character the parser stumbled over; a sentence or nothing.
std::string_view hint(std::string_view reason, std::string_view text, std::size_t offset) {
    const char at = offset < text.size() ? text[offset] : '\0';
    const std::size_t last = text.substr(0, offset).find_last_not_of(" \t\r\n");
    const char before = last == std::string_view::npos ? '\0' : text[last];
    if ((at == ']' || at == '}') && before == ',') {
        return " JSON has no comma after the last element.";
    }
    if (!reason.starts_with("invalid literal") && !reason.starts_with("invalid number")) {
        return "";
    }
    if (at == '\'') {
        return " JSON strings stand in double quotes.";
    }
    if (at == '/' || at == '#') {
        return " JSON has no comments.";
    }
    if ((at >= 'A' && at <= 'Z') || (at >= 'a' && at <= 'z')) {
        return " The only words outside quotes are true, false and null; NaN and Infinity are no JSON "
               "numbers.";
    }
    return "";
}

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

void refuse_other_encodings(std::string_view text, std::string_view origin) {
    for (const std::string_view mark :
         {std::string_view("\xFF\xFE"), std::string_view("\xFE\xFF"), std::string_view("\0\0\xFE\xFF", 4)}) {
        if (text.starts_with(mark)) {
            throw Error(printable(origin) +
                        ": begins with a UTF-16 or UTF-32 byte order mark; save it as UTF-8.");
        }
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
            fail_at(text, i, origin, "a NUL byte; JSON is text, saved as UTF-8, and holds none.");
        }
        i += at.length;
    }
}

void fail_to_parse(std::string_view text, std::size_t position, const std::string& token,
                   std::string_view message, std::string_view origin) {
    const std::string words = reason(message);
    std::size_t offset = position - length_read(words, token);
    if (words.starts_with("unexpected end of input")) {
        offset = text.find_last_not_of(" \t\r\n") + 1;  // behind the last thing that is there
    }
    fail_at(text, offset, origin, fmt::format("{}.{}", words, hint(words, text, offset)));
}

}  // namespace attn
