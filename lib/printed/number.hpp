// A number as PyTorch, NumPy, Python, JSON and people write it. The grammar and the tolerance are the same
// for tables of documents, pasted output and typed answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace attn {

struct PrintedNumber {
    enum class Notation : std::uint8_t {
        whole,
        fixed,
        scientific,
        word,
        truth
    };  // examples: 2 · 0.5, 2. · 1e-3 · nan · True

    static constexpr std::uint8_t exact = 255;  // value of `decimals` for a number that is known exactly

    double value = 0.0;
    std::uint32_t offset = 0;   // the number's position in the text
    std::int16_t exponent = 0;  // the exponent of a number in scientific notation
    std::uint8_t decimals = 0;  // number of known decimals; in scientific notation, those of the mantissa
    Notation notation = Notation::whole;
};

// Reads the number that begins at text[at], and moves `at` to its end. Returns nothing and leaves `at` where
// it was if no number begins there, or if letters or signs follow the number directly ("0.2x", "1-2"). Quotes
// and `np.float32(…)` around a number belong to it.
std::optional<PrintedNumber> read_number(std::string_view text, std::size_t& at);

// Returns all numbers of a text that contains only numbers, white space and commas; otherwise nothing.
std::optional<std::vector<PrintedNumber>> read_numbers(std::string_view text);

// Makes a number that is known exactly.
PrintedNumber exact_number(double value);

// Returns the unit of a number's last digit: 1e-4 for 0.1921, 1e-7 for 1.234e-04, 0 when it is exact.
double last_unit(const PrintedNumber& printed);

// Returns how far a number computed in float32 may be from its printed form: ½·10⁻ᵈ + 1e-6 for d decimals,
// whatever the size of the number. From 16 on, neighbouring float32 numbers are farther apart than 1e-6; then
// their distance replaces the 1e-6. In scientific notation, d counts decimals of the mantissa, and the slack
// is a millionth of the number. `units` can be set above half a unit of the last digit. Infinite for inf and
// NaN.
double tolerance(const PrintedNumber& printed, double units = 0.5);

// Returns true if x is within this tolerance. inf agrees only with inf of the same sign, NaN only with NaN.
bool agrees(const PrintedNumber& printed, double x, double units = 0.5);

}  // namespace attn
