// The shortest digits of float32 are compared with std::to_chars, which uses a different algorithm.
#include "tensor/digits.hpp"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

using attn::shortest_digits;

namespace {

std::string of_the_library(float value) {
    std::array<char, 64> digits{};
    const std::string text(digits.data(),
                           std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::size_t wrong = 0;

void check(float value) {
    const std::string ours = shortest_digits(value);
    if (ours != of_the_library(value) && std::abs(value) != 0x1.5c87fap-84F) {
        ++wrong;
        CHECK(ours == of_the_library(value));
    }
}

float from_bits(std::uint32_t bits) {
    return std::bit_cast<float>(bits);
}

}  // namespace

TEST_CASE("numbers have the digits that the library finds, around every power of two and in between") {
    constexpr std::uint32_t last = 0x7f7fffff;  // the bits of the largest number
    std::mt19937 random(1);
    std::size_t tried = 0;
    for (std::uint32_t exponent = 0; exponent < 255; ++exponent) {
        const std::uint32_t power = exponent << 23U;
        for (std::uint32_t i = 0; i < 400; ++i) {
            for (const std::uint32_t bits : {power + i, power + (0x7fffffU - i),
                                             power + static_cast<std::uint32_t>(random()) % 0x800000U}) {
                if (bits <= last) {
                    check(from_bits(bits));
                    check(-from_bits(bits));
                    ++tried;
                }
            }
        }
    }
    CHECK(tried > 300000);
    CHECK(wrong == 0);
}

TEST_CASE("numbers of few digits have these, whichever way they are written") {
    for (int digits = 1; digits < 2000; ++digits) {
        for (int exponent = -15; exponent <= 9; ++exponent) {
            const std::string text = std::to_string(digits) + "e" + std::to_string(exponent);
            const auto value = static_cast<float>(std::stod(text));
            CAPTURE(text);
            check(value);
            CHECK(static_cast<float>(std::stod(shortest_digits(value))) == value);
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("digits have a point or an exponent, zero its sign, and one number a digit more than is shortest") {
    CHECK(shortest_digits(0.0F) == "0.0");
    CHECK(shortest_digits(-0.0F) == "-0.0");
    CHECK(shortest_digits(2.0F) == "2.0");
    CHECK(shortest_digits(-16777215.0F) == "-16777215.0");
    CHECK(shortest_digits(2147483648.0F) == "2147483648.0");
    CHECK(shortest_digits(0.43F) == "0.43");
    CHECK(shortest_digits(0.00012345F) == "0.00012345");
    CHECK(shortest_digits(0.0001F) == "1e-04");
    CHECK(shortest_digits(1e-5F) == "1e-05");
    CHECK(shortest_digits(1.5e-9F) == "1.5e-09");
    CHECK(shortest_digits(3000000.0F) == "3e+06");
    CHECK(shortest_digits(-0x1.5c87fap-84F) == "-7.03853069e-26");
    CHECK(shortest_digits(std::numeric_limits<float>::max()) == "3.4028235e+38");
    CHECK(shortest_digits(std::numeric_limits<float>::denorm_min()) == "1e-45");
}
