#include "tensor/digits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace attn {

namespace {

// A number as digits · 10^exponent.
struct Decimal {
    std::uint32_t digits;
    int exponent;
};

constexpr float least_fast =
    0x1p-33F;  // from here to below 2^24 ten to the power that is needed fits 64 bits
constexpr float above_fast = 0x1p24F;

constexpr auto make_powers_of_ten() {
    std::array<std::uint64_t, 19> powers{1};
    for (std::size_t n = 1; n < powers.size(); ++n) {
        powers[n] = 10 * powers[n - 1];
    }
    return powers;
}
constexpr std::array powers_of_ten = make_powers_of_ten();

constexpr auto make_two_digits() {
    std::array<char, 200> all{};
    for (std::size_t i = 0; i < 100; ++i) {
        all[2 * i] = static_cast<char>('0' + i / 10);
        all[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
    return all;
}
constexpr std::array two_digits = make_two_digits();

// Schubfach (R. Giulietti, The Schubfach way to render doubles, 2020): of all decimals that round to the
// number the shortest, of these the nearest; with 7 to 9 digits, the last perhaps 0. Here it is exact, for
// the power of ten is. A number is one of 2^23 to 2^24 units of 2^q; counted in quarters of 10^k, which is
// the unit or a tenth of it, are the number and the middles between it and its neighbours. What is not known
// beforehand is chosen without branches: mispredicted ones take half of the time.
Decimal shortest_decimal(float magnitude) {
    constexpr std::uint32_t hidden = std::uint32_t{1} << 23U;
    const auto bits = std::bit_cast<std::uint32_t>(magnitude);
    const std::uint32_t fraction = bits & (hidden - 1);
    const std::uint32_t units = hidden | fraction;
    const int q = static_cast<int>(bits >> 23U) - 150;
    const bool is_power_of_two = fraction == 0;  // below it numbers lie twice as close
    const int k = (q * 1262611 - (is_power_of_two ? 524031 : 0)) >> 22;  // ⌊log10 of 2^q⌋, or of ¾ of it
    const int bits_of_power = (-k * 1741647) >> 19;                      // ⌊log2 10^-k⌋
    const std::uint64_t power = powers_of_ten[static_cast<std::size_t>(-k)] << (63 - bits_of_power);
    // Quarters of a unit as quarters of 10^k, rounded down, but the last bit says whether something is left.
    const auto scaled = [&](std::uint32_t quarters) {
        const std::uint64_t factor = quarters << (q + bits_of_power + 1);
        const std::uint64_t low = (power & 0xffffffffU) * factor;
        const std::uint64_t high = (power >> 32U) * factor + (low >> 32U);
        return static_cast<std::uint32_t>(high >> 32U) |
               static_cast<std::uint32_t>(((high | low) & 0xffffffffU) != 0);
    };
    const std::uint32_t odd = units & 1U;  // a middle rounds to the neighbour that is even
    const std::uint32_t lowest = scaled(4 * units - (is_power_of_two ? 1 : 2)) + odd;
    const std::uint32_t highest = scaled(4 * units + 2) - odd;
    const std::uint32_t number = scaled(4 * units);

    const std::uint32_t below = number / 4;
    const auto below_fits = static_cast<std::uint32_t>(lowest <= 4 * below);
    const auto above_fits = static_cast<std::uint32_t>(4 * below + 4 <= highest);
    const auto above_is_nearer = static_cast<std::uint32_t>(number + (below & 1U) > 4 * below + 2);
    const std::uint32_t one_fits = below_fits ^ above_fits;
    const std::uint32_t full = below + ((one_fits & above_fits) | ((one_fits ^ 1U) & above_is_nearer));

    const std::uint32_t tens = below / 10;
    const auto tens_fit = static_cast<std::uint32_t>(lowest <= 40 * tens);
    const auto next_tens_fit = static_cast<std::uint32_t>(40 * tens + 40 <= highest);
    const std::uint32_t is_shorter = 0U - (tens_fit ^ next_tens_fit);  // all bits
    return {(10 * (tens + next_tens_fit) & is_shorter) | (full & ~is_shorter), k};
}

// The digits of 7 to 9 of them, and zeros up to nine, at `to`; answers how many there are without zeros
// at the end.
int write_nine(std::uint32_t digits, int count, char* to) {
    const std::uint32_t nine = digits * (count == 9 ? 1U : count == 8 ? 10U : 100U);
    to[0] = static_cast<char>('0' + nine / 100000000U);
    std::uint32_t place = 1;
    for (const std::uint32_t four : {nine / 10000U % 10000U, nine % 10000U}) {
        std::memcpy(to + place, &two_digits[2 * std::size_t{four / 100U}], 2);
        std::memcpy(to + place + 2, &two_digits[2 * std::size_t{four % 100U}], 2);
        place += 4;
    }
    // All at once where that can be done, for branches would be guessed wrongly.
    if constexpr (std::endian::native == std::endian::little) {
        std::uint64_t last_eight = 0;
        std::memcpy(&last_eight, to + 1, 8);
        return 9 - std::countl_zero(last_eight ^ 0x3030303030303030U) / 8;
    }
    int length = 9;
    while (length > 1 && to[length - 1] == '0') {
        --length;
    }
    return length;
}

// As std::to_chars writes a number from `least_fast` to below `above_fast`: fixed unless scientific is
// shorter. Nothing where it would write zeros between the digits and the point.
char* write_fast(float magnitude, char* to) {
    const Decimal decimal = shortest_decimal(magnitude);
    const int count =
        7 + static_cast<int>(decimal.digits >= 10000000U) + static_cast<int>(decimal.digits >= 100000000U);
    std::array<char, 24> digits{};
    const int length = write_nine(decimal.digits, count, digits.data());
    const int whole = count + decimal.exponent;  // digits before the point
    if (whole > length) {
        return nullptr;
    }
    if (whole > 0) {
        std::memcpy(to, digits.data(), 16);
        to[whole] = '.';
        std::memcpy(to + whole + 1, digits.data() + whole, 12);
        to[length + 1] = '0';  // of "2.0"
        return to + length + (whole == length ? 2 : 1);
    }
    if (whole >= (length == 1 ? -2 : -3)) {
        std::memcpy(to, "0.000", 5);
        std::memcpy(to + 2 - whole, digits.data(), 16);
        return to + 2 - whole + length;
    }
    to[0] = digits[0];
    to[1] = '.';
    std::memcpy(to + 2, digits.data() + 1, 12);
    to += length == 1 ? 1 : length + 1;
    const auto exponent = static_cast<std::size_t>(1 - whole);  // two digits
    std::memcpy(to, "e-", 2);
    std::memcpy(to + 2, &two_digits[2 * exponent], 2);
    return to + 4;
}

}  // namespace

std::string shortest_digits(double value) {
    std::array<char, 32> digits{};  // -1.7976931348623157e+308 has 24
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

std::string shortest_digits(float value) {
    std::array<char, most_digits> digits{};
    return {digits.data(), write_shortest_digits(value, digits.data())};
}

char* write_shortest_digits(float value, char* to) {
    if (std::signbit(value)) {
        *to++ = '-';
    }
    const float magnitude = std::abs(value);
    if (magnitude == 0.0F) {  // half of what masks and causal weights are made of
        std::memcpy(to, "0.0", 3);
        return to + 3;
    }
    if (magnitude >= least_fast && magnitude < above_fast) {
        if (char* const end = write_fast(magnitude, to); end != nullptr) {
            return end;
        }
    }
    // Of all floats only ±7.038531e-26 reads back wrongly from its shortest text: it lies so near the middle
    // of two floats that rounding to double first tips it over. (All 2^31 magnitudes were tried.)
    if (magnitude == 0x1.5c87fap-84F) {
        constexpr std::string_view longer = "7.03853069e-26";
        return std::copy(longer.begin(), longer.end(), to);
    }
    char* const end = std::to_chars(to, to + most_digits - 1, magnitude).ptr;
    if (std::none_of(to, end, [](char c) { return c == '.' || c == 'e'; })) {
        std::memcpy(end, ".0", 2);
        return end + 2;
    }
    return end;
}

}  // namespace attn
