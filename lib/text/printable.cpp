// Spells out what a terminal would obey or hide.
#include "text/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/utf8.hpp"

namespace attn {

namespace {

struct Range {
    char32_t first;
    char32_t last;
};

constexpr std::array deceptive{
    Range{0x0000, 0x001F},  // C0
    Range{0x007F, 0x009F},  // DEL and C1
    Range{0x061C, 0x061C},  // Arabic letter mark
    Range{0x200B, 0x200F},  // zero-width space and joiners, left-to-right and right-to-left marks
    Range{0x2028, 0x202E},  // line and paragraph separators, embeddings and overrides
    Range{0x2060, 0x2060},  // word joiner
    Range{0x2066, 0x2069},  // isolates
    Range{0xFEFF, 0xFEFF},  // byte order mark
};

}  // namespace

bool is_deceptive(char32_t code_point) {
    return std::any_of(deceptive.begin(), deceptive.end(), [&](const Range& range) {
        return range.first <= code_point && code_point <= range.last;
    });
}

std::string printable(std::string_view untrusted, std::size_t most) {
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
        } else {
            shown += fmt::format("\\u{:04x}", static_cast<unsigned>(at.value));
        }
        i += at.length;
    }
    return shown;
}

std::string in_quotes(std::string_view untrusted) {
    return '"' + printable(untrusted, 60) + '"';
}

}  // namespace attn
