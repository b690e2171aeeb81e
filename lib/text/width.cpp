// Widths are looked up, and code points gathered into glyphs by the few rules of UAX #29 that change a width.
#include "text/width.hpp"

#include <algorithm>
#include <span>

#include "text/utf8.hpp"
#include "text/width_table.hpp"

namespace attn {

namespace {

constexpr char32_t zero_width_joiner = 0x200D;
constexpr char32_t emoji_style = 0xFE0F;  // shows the sign before it as an emoji

bool is_in(std::span<const CodePointRange> ranges, char32_t code_point) {
    const auto after = std::ranges::upper_bound(ranges, code_point, {}, &CodePointRange::first);
    return after != ranges.begin() && code_point <= std::prev(after)->last;
}

std::size_t columns_of(char32_t code_point) {
    if (code_point < zero_width[0].first) {
        return 1;
    }
    return is_in(double_width, code_point) ? 2 : is_in(zero_width, code_point) ? 0 : 1;
}

bool is_skin_tone(char32_t code_point) {
    return code_point >= 0x1F3FB && code_point <= 0x1F3FF;
}

bool is_regional_indicator(char32_t code_point) {
    return code_point >= 0x1F1E6 && code_point <= 0x1F1FF;
}

// UAX #14, classes CL, EX, NS and IN, as far as Chinese and the Latin text within it use them.
constexpr std::u32string_view never_first = U"!),.:;?]}’”…—·%°、。〉》」』】〕〗〞々！），．：；？］｝～％";
constexpr std::u32string_view never_last = U"([{‘“〈《「『【〔〖〝（［｛";

char32_t first_of(const Glyph& glyph) {
    return decode_utf8(glyph.bytes, 0).value;
}

bool is_one_of(std::u32string_view signs, const Glyph& glyph) {
    return signs.find(first_of(glyph)) != std::u32string_view::npos;
}

}  // namespace

Glyph glyph_at(std::string_view text, std::size_t at) {
    const CodePoint base = decode_utf8(text, at);
    std::size_t columns = base.valid ? columns_of(base.value) : 1;
    std::size_t end = at + base.length;
    bool flag = is_regional_indicator(base.value);
    bool joins = false;  // a joiner stands before the code point looked at
    while (end < text.size()) {
        const CodePoint next = decode_utf8(text, end);
        const bool second_of_flag = flag && is_regional_indicator(next.value);
        const bool part_of_emoji = columns == 2 && (joins || is_skin_tone(next.value));
        if (!next.valid || (columns_of(next.value) > 0 && !second_of_flag && !part_of_emoji)) {
            break;
        }
        if (second_of_flag || next.value == emoji_style) {
            columns = 2;
        }
        flag = false;
        joins = next.value == zero_width_joiner;
        end += next.length;
    }
    return {text.substr(at, end - at), columns};
}

std::size_t display_width(std::string_view text) {
    std::size_t columns = 0;
    for (std::size_t i = 0; i < text.size();) {
        const Glyph glyph = glyph_at(text, i);
        columns += glyph.columns;
        i += glyph.bytes.size();
    }
    return columns;
}

std::string cut_to(std::string_view text, std::size_t columns) {
    if (display_width(text) <= columns) {
        return std::string(text);
    }
    std::size_t end = 0;
    for (std::size_t used = 1;;) {  // the "…"
        const Glyph glyph = glyph_at(text, end);
        used += glyph.columns;
        if (used > columns) {
            return std::string(text.substr(0, end)) + "…";
        }
        end += glyph.bytes.size();
    }
}

std::string pad_right(std::string_view text, std::size_t columns) {
    const std::size_t width = display_width(text);
    return std::string(text).append(columns - std::min(columns, width), ' ');
}

std::string pad_left(std::string_view text, std::size_t columns) {
    const std::size_t width = display_width(text);
    return std::string(columns - std::min(columns, width), ' ').append(text);
}

bool may_break_between(const Glyph& before, const Glyph& after) {
    return (before.columns == 2 || after.columns == 2) && !is_one_of(never_first, after) &&
           !is_one_of(never_last, before);
}

}  // namespace attn
