// A number as PyTorch, NumPy, Python, JSON and people write it. Tables of documents, pasted output and typed
// answers are all read and compared in this way.
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
    };  // for example: 2 · 0.5 or 2. · 1e-3 · nan · True

    static constexpr std::uint8_t exact = 255;  // `decimals` of an exact number

    double value = 0.0;
    std::uint32_t offset = 0;   // the number's position in the text
    std::int16_t exponent = 0;  // the exponent of a number in scientific notation
    std::uint8_t decimals = 0;  // how many decimals are known; in scientific notation, of the mantissa
    Notation notation = Notation::whole;
};

// Reads the number that begins at text[at], and moves `at` to its end. If no number begins there, or if
// letters or signs follow it directly ("0.2x", "1-2"), returns nothing and leaves `at` unchanged.
// `np.float32(…)` around the number is skipped, too.
std::optional<PrintedNumber> read_number(std::string_view text, std::size_t& at);

// Returns the number if the text is nothing but a number.
std::optional<PrintedNumber> read_only_number(std::string_view text);

// Returns all numbers of a text that contains only numbers, white space and commas; otherwise nothing.
std::optional<std::vector<PrintedNumber>> read_numbers(std::string_view text);

// Returns an exact number.
PrintedNumber exact_number(double value);

// Returns the unit of a number's last digit: 1e-4 for 0.1921, 1e-7 for 1.234e-04, 0 when it is exact.
double last_unit(const PrintedNumber& printed);

// Returns how far a float32 result may be from its printed form: ½·10⁻ᵈ + 1e-6 for d decimals, for numbers
// below 16. From 16 on, neighbouring float32 numbers are more than 1e-6 apart, so their distance replaces
// 1e-6. In scientific notation, d counts decimals of the mantissa, and a millionth of the number replaces
// 1e-6. `units` replaces ½ as the tolerance in units of the last digit. For inf and NaN, returns infinity.
double tolerance(const PrintedNumber& printed, double units = 0.5);

// Returns true if x is within this tolerance. inf agrees only with inf of the same sign, NaN only with NaN.
bool agrees(const PrintedNumber& printed, double x, double units = 0.5);

}  // namespace attn
