// The shortest digits of float32 are compared with std::to_chars, which uses a different algorithm.
#include "tensor/digits.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <string>

using attn::shortest_digits;

namespace {

// Returns true if the digits are those of std::to_chars, with ".0" after a whole number.
bool is_shortest(float value) {
    std::array<char, 64> digits{};
    std::string text(digits.data(), std::to_chars(digits.data(), digits.end(), value).ptr);
    text += text.find_first_of(".e") == std::string::npos ? ".0" : "";
    return shortest_digits(value) == text || std::abs(value) == 0x1.5c87fap-84F;
}

}  // namespace

TEST_CASE("numbers have the digits that the library finds: around powers of two, in between, few digits") {
    std::mt19937 random(1);
    std::size_t wrong = 0;
    for (std::uint32_t exponent = 0; exponent < 255; ++exponent) {
        for (std::uint32_t i = 0; i < 400; ++i) {
            for (const std::uint32_t fraction :
                 {i, 0x7fffffU - i, static_cast<std::uint32_t>(random()) % 0x800000U}) {
                const auto value = std::bit_cast<float>(exponent << 23U | fraction);
                wrong += !is_shortest(value) || !is_shortest(-value);
            }
        }
    }
    for (int digits = 1; digits < 2000; ++digits) {
        for (int exponent = -15; exponent <= 9; ++exponent) {
            wrong += !is_shortest(std::stof(fmt::format("{}e{}", digits, exponent)));
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("digits have a point or an exponent, zero its sign, and one number a digit more than is shortest") {
    for (const auto& [value, text] : {std::pair{0.0F, "0.0"},
                                      {-0.0F, "-0.0"},
                                      {-16777215.0F, "-16777215.0"},
                                      {0.0001F, "1e-04"},
                                      {3000000.0F, "3e+06"},
                                      {-0x1.5c87fap-84F, "-7.03853069e-26"},
                                      {std::numeric_limits<float>::max(), "3.4028235e+38"}}) {
        CHECK(shortest_digits(value) == text);
    }
}
