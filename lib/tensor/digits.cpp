#include "tensor/digits.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace attn {

namespace {

template <typename Real>
std::string shortest(Real value) {
    std::array<char, 32> text{};  // -1.7976931348623157e+308 has 24 characters
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace

std::string shortest_digits(double value) {
    return shortest(value);
}

std::string shortest_digits(float value) {
    // Of all floats only ±7.038531e-26 reads back wrongly from its shortest text: it lies so near the middle
    // of two floats that rounding to double first tips it over. (All 2^31 magnitudes were tried.)
    if (std::abs(value) == 0x1.5c87fap-84F) {
        return std::signbit(value) ? "-7.03853069e-26" : "7.03853069e-26";
    }
    std::string digits = shortest(value);
    if (digits.find_first_not_of("-0123456789") == std::string::npos) {
        digits += ".0";
    }
    return digits;
}

}  // namespace attn
