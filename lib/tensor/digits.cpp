#include "tensor/digits.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace attn {

namespace {

template <typename Number>
std::string digits(Number value) {
    std::array<char, 32> text{};  // the longest text, -1.7976931348623157e+308, has 24 characters
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace

std::string shortest_digits(double value) {
    return digits(value);
}

std::string shortest_digits(float value) {
    // ±7.038531e-26 is the only float32 whose shortest text reads back as a different number (all 2^31
    // magnitudes were tried). It is so near the middle of two floats that rounding to double first changes
    // the result.
    if (std::abs(value) == 0x1.5c87fap-84F) {
        return value < 0.0F ? "-7.03853069e-26" : "7.03853069e-26";
    }
    const std::string text = digits(value);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

}  // namespace attn
