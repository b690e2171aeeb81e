#include "tensor/digits.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace attn {

std::string shortest_digits(float value) {
    if (std::isnan(value)) {
        return "nan";  // never "-nan"
    }
    std::string digits = fmt::format("{}", value);
    // Of all finite floats one magnitude, 7.038531e-26, rounds elsewhere on the way through double.
    if (static_cast<float>(std::strtod(digits.c_str(), nullptr)) != value) {
        digits = fmt::format("{:.9g}", value);
    }
    return digits;
}

}  // namespace attn
