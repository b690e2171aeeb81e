// Spells out characters that a terminal would act on or hide.
#include "text/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/utf8.hpp"

namespace attn {

namespace {

struct CodePoints {
    char32_t first;
    char32_t last;
};

// Controls, noncharacters, and Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt) without the
// variation selectors, which choose how the character before them is drawn and are part of many emoji.
constexpr std::array deceptive{
    CodePoints{0x0000, 0x001F},    // C0
    CodePoints{0x007F, 0x009F},    // DEL and C1
    CodePoints{0x00AD, 0x00AD},    // soft hyphen
    CodePoints{0x034F, 0x034F},    // combining grapheme joiner
    CodePoints{0x061C, 0x061C},    // Arabic letter mark
    CodePoints{0x115F, 0x1160},    // Hangul fillers
    CodePoints{0x17B4, 0x17B5},    // Khmer inherent vowels
    CodePoints{0x180E, 0x180E},    // Mongolian vowel separator
    CodePoints{0x200B, 0x200F},    // zero-width space and joiners, left-to-right and right-to-left marks
    CodePoints{0x2028, 0x202E},    // line and paragraph separators, embeddings and overrides
    CodePoints{0x2060, 0x206F},    // word joiner, invisible operators, isolates
    CodePoints{0x3164, 0x3164},    // Hangul filler
    CodePoints{0xFDD0, 0xFDEF},    // noncharacters; so are the last two of each plane
    CodePoints{0xFEFF, 0xFEFF},    // byte order mark
    CodePoints{0xFFA0, 0xFFA0},    // halfwidth Hangul filler
    CodePoints{0xFFF0, 0xFFFB},    // reserved; interlinear annotations
    CodePoints{0x1BCA0, 0x1BCA3},  // shorthand format controls
    CodePoints{0x1D173, 0x1D17A},  // musical beams and slurs
    CodePoints{0xE0000, 0xE00FF},  // tags
    CodePoints{0xE01F0, 0xE0FFF},  // reserved
};

}  // namespace

bool is_deceptive(char32_t code_point) {
    constexpr char32_t last_two = 0xFFFE;
    return (code_point & last_two) == last_two ||
           std::any_of(deceptive.begin(), deceptive.end(), [&](const CodePoints& range) {
               return range.first <= code_point && code_point <= range.last;
           });
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
            shown += fmt::format("\\x{:02x}", static_cast<unsigned>(at.value));
        } else if (at.value < 0x10000) {
            shown += fmt::format("\\u{:04x}", static_cast<unsigned>(at.value));
        } else {
            shown += fmt::format("\\U{:08x}", static_cast<unsigned>(at.value));
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
        shortened += word.size() <= longest ? word : printable(word, shown);
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
