#include "tensor/digits.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace attn {

namespace {

using Buffer = std::array<char, 32>;  // -1.7976931348623157e+308 has 24 characters

template <typename Real>
std::string_view shortest(Real value, Buffer& buffer) {
    return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

}  // namespace

std::string shortest_digits(double value) {
    Buffer buffer;
    return std::string(shortest(value, buffer));
}

std::string shortest_digits(float value) {
    std::string text;
    append_shortest_digits(value, text);
    return text;
}

void append_shortest_digits(float value, std::string& text) {
    if (value == 0.0F) {  // half of what masks and causal weights are made of
        text += std::signbit(value) ? "-0.0" : "0.0";
        return;
    }
    // Of all floats only ±7.038531e-26 reads back wrongly from its shortest text: it lies so near the middle
    // of two floats that rounding to double first tips it over. (All 2^31 magnitudes were tried.)
    if (std::abs(value) == 0x1.5c87fap-84F) {
        text += std::signbit(value) ? "-7.03853069e-26" : "7.03853069e-26";
        return;
    }
    Buffer buffer;
    const std::string_view digits = shortest(value, buffer);
    text += digits;
    if (std::ranges::none_of(digits, [](char c) { return c == '.' || c == 'e'; })) {
        text += ".0";
    }
}

}  // namespace attn
