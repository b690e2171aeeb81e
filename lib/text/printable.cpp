// Spells out characters that a terminal would act on or hide.
#include "text/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/utf8.hpp"

namespace attn {

namespace {

// Controls, noncharacters, and Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt) without the
// variation selectors, which choose how the character before them is drawn and are part of many emoji.
constexpr std::array deceptive{
    CodePointRange{0x0000, 0x001F},    // C0
    CodePointRange{0x007F, 0x009F},    // DEL and C1
    CodePointRange{0x00AD, 0x00AD},    // soft hyphen
    CodePointRange{0x034F, 0x034F},    // combining grapheme joiner
    CodePointRange{0x061C, 0x061C},    // Arabic letter mark
    CodePointRange{0x115F, 0x1160},    // Hangul fillers
    CodePointRange{0x17B4, 0x17B5},    // Khmer inherent vowels
    CodePointRange{0x180E, 0x180E},    // Mongolian vowel separator
    CodePointRange{0x200B, 0x200F},    // zero-width space and joiners, left-to-right and right-to-left marks
    CodePointRange{0x2028, 0x202E},    // line and paragraph separators, embeddings and overrides
    CodePointRange{0x2060, 0x206F},    // word joiner, invisible operators, isolates
    CodePointRange{0x3164, 0x3164},    // Hangul filler
    CodePointRange{0xFDD0, 0xFDEF},    // noncharacters; so are the last two of each plane
    CodePointRange{0xFEFF, 0xFEFF},    // byte order mark
    CodePointRange{0xFFA0, 0xFFA0},    // halfwidth Hangul filler
    CodePointRange{0xFFF0, 0xFFFB},    // reserved; interlinear annotations
    CodePointRange{0x1BCA0, 0x1BCA3},  // shorthand format controls
    CodePointRange{0x1D173, 0x1D17A},  // musical beams and slurs
    CodePointRange{0xE0000, 0xE00FF},  // tags
    CodePointRange{0xE01F0, 0xE0FFF},  // reserved
};

}  // namespace

bool is_deceptive(char32_t code_point) {
    constexpr char32_t last_two = 0xFFFE;
    return (code_point & last_two) == last_two || is_in(deceptive, code_point);
}

std::string printable(std::string_view untrusted, std::size_t most) {
    if (untrusted.size() <= most &&
        std::ranges::all_of(untrusted, [](char c) { return ' ' <= c && c <= '~'; })) {
        return std::string(untrusted);
    }
    std::string shown;
    std::size_t count = 0;
    for (std::size_t i = 0; i < untrusted.size(); ++count) {
        if (count == most) {
            return shown + "…";
        }
        const CodePoint at = decode_utf8(untrusted, i);
        if (at.valid && !is_deceptive(at.value)) {
            shown += untrusted.substr(i, at.length);
        } else if (at.value < 0x100) {
            shown += fmt::format("\\x{:02x}", unsigned(at.value));
        } else if (at.value < 0x10000) {
            shown += fmt::format("\\u{:04x}", unsigned(at.value));
        } else {
            shown += fmt::format("\\U{:08x}", unsigned(at.value));
        }
        i += at.length;
    }
    return shown;
}

std::string with_short_words(std::string_view text) {
    constexpr std::size_t longest = 300;
    constexpr std::size_t shown = 200;
    std::string shortened;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(" \n"), text.size() - 1) + 1;
        const std::string_view word = text.substr(0, end);
        const std::size_t sign = word.find_last_not_of(": \n") + 1;  // that separates it from the next
        shortened += word.size() <= longest
                         ? word
                         : printable(word.substr(0, sign), shown) + std::string(word.substr(sign));
        text.remove_prefix(end);
    }
    return shortened;
}

std::string python_literal(std::string_view untrusted) {
    std::string escaped;
    for (const char c : untrusted) {
        escaped += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    }
    return '"' + printable(escaped) + '"';
}

std::string in_quotes(std::string_view untrusted) {
    return '"' + printable(untrusted, 60) + '"';
}

}  // namespace attn
