// Looks up widths, and groups code points into glyphs by those rules of UAX #29 that change a width.
#include "text/width.hpp"

#include <algorithm>

#include "text/utf8.hpp"

namespace attn {

namespace {

constexpr char32_t zero_width_joiner = 0x200D;
constexpr char32_t emoji_style = 0xFE0F;  // shows the character before it as an emoji

// Combining marks and invisible format characters of Latin, Greek, Cyrillic, Hebrew, Arabic, Hindi, Thai,
// Korean, mathematics and emoji.
constexpr CodePointRange zero_width[] = {
    {0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x5BF, 0x5C7},     {0x610, 0x61A},
    {0x64B, 0x65F},   {0x670, 0x670},   {0x6D6, 0x6DC},   {0x900, 0x902},     {0x93C, 0x93C},
    {0x941, 0x948},   {0x94D, 0x94D},   {0xE31, 0xE31},   {0xE34, 0xE3A},     {0xE47, 0xE4E},
    {0x1160, 0x11FF}, {0x1AB0, 0x1ACE}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F},   {0x202A, 0x202E},
    {0x2060, 0x206F}, {0x20D0, 0x20F0}, {0x302A, 0x302D}, {0x3099, 0x309A},   {0xD7B0, 0xD7FF},
    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0001, 0xE01EF},
};

// East Asian wide and full-width characters, including emoji.
constexpr CodePointRange double_width[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x2614, 0x2615},   {0x2648, 0x2653},
    {0x26A1, 0x26A1},   {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},   {0x274C, 0x274E},
    {0x2753, 0x2757},   {0x2795, 0x2797},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B55},   {0x2E80, 0x303E},
    {0x3041, 0xA4C6},   {0xA960, 0xA97C},   {0xAC00, 0xD7A3},   {0xF900, 0xFAD9},   {0xFE10, 0xFE19},
    {0xFE30, 0xFE6B},   {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},   {0x16FE0, 0x1B2FB}, {0x1F004, 0x1F004},
    {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F19A}, {0x1F200, 0x1F320}, {0x1F32D, 0x1F53D}, {0x1F54B, 0x1F64F},
    {0x1F680, 0x1F6FC}, {0x1F7E0, 0x1F7F0}, {0x1F90C, 0x1FAF6}, {0x20000, 0x3FFFD},
};

std::size_t columns_of(char32_t code_point) {
    if (code_point < zero_width[0].first) {
        return 1;
    }
    return is_in(zero_width, code_point) ? 0 : is_in(double_width, code_point) ? 2 : 1;
}

bool is_skin_tone(char32_t code_point) {
    return code_point >= 0x1F3FB && code_point <= 0x1F3FF;
}

bool is_regional_indicator(char32_t code_point) {
    return code_point >= 0x1F1E6 && code_point <= 0x1F1FF;
}

// Characters that must not begin a line, for Chinese and for Latin text within it: UAX #14, classes CL, EX,
// NS and IN.
constexpr std::u32string_view never_first = U"!),.:;?]}’”…—·%°、。〉》」』】〕〗〞々！），．：；？］｝～％";
constexpr std::u32string_view never_last = U"([{‘“〈《「『【〔〖〝（［｛";

char32_t first_of(const Glyph& glyph) {
    return decode_utf8(glyph.bytes, 0).value;
}

bool is_among(std::u32string_view signs, const Glyph& glyph) {
    return signs.find(first_of(glyph)) != std::u32string_view::npos;
}

}  // namespace

Glyph glyph_at(std::string_view text, std::size_t at) {
    const CodePoint base = decode_utf8(text, at);
    std::size_t columns = base.valid ? columns_of(base.value) : 1;
    std::size_t end = at + base.length;
    bool flag = is_regional_indicator(base.value);
    bool joins = false;  // the previous code point is a joiner
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
    for (std::size_t used = 1;;) {  // one column is for the "…"
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
    return (before.columns == 2 || after.columns == 2) && !is_among(never_first, after) &&
           !is_among(never_last, before);
}

}  // namespace attn
