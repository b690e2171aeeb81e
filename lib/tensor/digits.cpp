#include "tensor/digits.hpp"

#include <fmt/format.h>

#include <cmath>

namespace attn {

std::string shortest_digits(float value) {
    // Of all floats only ±7.038531e-26 reads back wrongly from its shortest text: it lies so near the middle
    // of two floats that rounding to double first tips it over. (All 2^31 magnitudes were tried.)
    if (std::abs(value) == 0x1.5c87fap-84F) {
        return fmt::format("{:.9g}", value);
    }
    std::string digits = fmt::format("{}", value);
    if (digits.find_first_not_of("-0123456789") == std::string::npos) {
        digits += ".0";
    }
    return digits;
}

}  // namespace attn
