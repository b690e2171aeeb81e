// A strict UTF-8 decoder. The lead byte gives the length, and the value must be in the range for this length.
#include "text/utf8.hpp"

#include <algorithm>

namespace attn {

CodePoint decode_utf8(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return char32_t(static_cast<unsigned char>(text[i])); };
    const char32_t lead = byte(at);
    if (lead < 0x80) {
        return {lead, 1, true};
    }
    const CodePoint invalid{lead, 1, false};
    if (lead < 0xC2 || lead > 0xF4) {
        return invalid;
    }
    const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (text.size() - at < length) {
        return invalid;
    }
    char32_t value = lead & (0x7FU >> length);
    for (std::size_t i = at + 1; i < at + length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80) {
            return invalid;
        }
        value = (value << 6U) | (byte(i) & 0x3FU);
    }
    const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    return overlong || surrogate || value > 0x10FFFF ? invalid : CodePoint{value, length, true};
}

bool is_in(std::span<const CodePointRange> ranges, char32_t code_point) {
    return std::ranges::any_of(ranges, [&](const CodePointRange& range) {
        return range.first <= code_point && code_point <= range.last;
    });
}

void append_utf8(char32_t code_point, std::string& text) {
    const auto append = [&](char32_t bits) { text += char(bits); };
    if (code_point < 0x80) {
        append(code_point);
        return;
    }
    const unsigned further = code_point < 0x800 ? 1 : code_point < 0x10000 ? 2 : 3;
    append((0xFF00U >> (further + 1) & 0xFFU) | code_point >> 6 * further);
    for (unsigned i = further; i-- > 0;) {
        append(0x80U | (code_point >> 6 * i & 0x3FU));
    }
}

}  // namespace attn
