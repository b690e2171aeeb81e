// Kinds and cases of ASCII characters, independent of the locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace attn {

constexpr bool is_one_of(char c, std::string_view characters) {
    return characters.find(c) != std::string_view::npos;
}

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

constexpr bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

constexpr bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

constexpr char to_lower(char c) {
    return is_upper(c) ? char(c - 'A' + 'a') : c;
}

inline std::string lowered(std::string_view text) {
    std::string small(text);
    std::ranges::transform(small, small.begin(), to_lower);
    return small;
}

// Returns true for a character of a name in Python or C++.
constexpr bool is_word_character(char c) {
    return is_digit(c) || is_lower(c) || is_upper(c) || c == '_';
}

}  // namespace attn
