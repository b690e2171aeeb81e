#include "tensor/digits.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace attn {

std::string shortest_digits(double value) {
    std::array<char, 32> digits{};  // the longest text, -1.7976931348623157e+308, has 24 characters
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

std::string shortest_digits(float value) {
    std::array<char, most_digits> digits{};
    return {digits.data(), write_shortest_digits(value, digits.data())};
}

char* write_shortest_digits(float value, char* to) {
    // ±7.038531e-26 is the only float32 whose shortest text reads back as a different number (all 2^31
    // magnitudes were tried). It lies so near the midpoint of two floats that rounding to double first
    // changes the result.
    if (std::abs(value) == 0x1.5c87fap-84F) {
        constexpr std::string_view longer = "-7.03853069e-26";
        return std::ranges::copy(longer.substr(value < 0.0F ? 0 : 1), to).out;
    }
    char* const end = std::to_chars(to, to + most_digits, value).ptr;
    constexpr std::string_view whole = ".0";
    const bool is_whole = std::none_of(to, end, [](char c) { return c == '.' || c == 'e'; });
    return is_whole ? std::ranges::copy(whole, end).out : end;
}

}  // namespace attn
