// A number as PyTorch, NumPy, Python, JSON and people write it. Tables of documents, pasted output and typed
// answers share this grammar and its tolerance.
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
    };  // 2 · 0.5, 2. · 1e-3 · nan · True

    static constexpr std::uint8_t exact = 255;  // decimals: more than any number has

    double value = 0.0;
    std::uint32_t offset = 0;   // where it stands in its text
    std::int16_t exponent = 0;  // in scientific notation
    std::uint8_t decimals = 0;  // it is known to, those of the mantissa in scientific notation
    Notation notation = Notation::whole;
};

// The number that begins at text[at], which moves behind it; nothing, and `at` stays, where none does, or
// more characters follow that make it none ("0.2x", "1-2"). Quotes and `np.float32(…)` around it are part of
// it.
std::optional<PrintedNumber> read_number(std::string_view text, std::size_t& at);

// All numbers of a text that holds nothing else but white space and commas between them; nothing otherwise.
std::optional<std::vector<PrintedNumber>> read_numbers(std::string_view text);

// One that is known exactly.
PrintedNumber exact_number(double value);

// The unit of a number's last digit: 1e-4 for 0.1921, 1e-7 for 1.234e-04, 0 when it is exact.
double last_unit(const PrintedNumber& printed);

// How far a number computed in float32 may be from a printed one that shows it: ½·10⁻ᵈ + 1e-6 for d decimals,
// whatever the size of the number. From 16 on neighbouring float32 numbers are farther apart than 1e-6, and
// their distance replaces it. In scientific notation d counts decimals of the mantissa, and the slack is a
// millionth of the number. In place of half a unit of the last digit, `units` may allow more. Infinite for
// inf and NaN.
double tolerance(const PrintedNumber& printed, double units = 0.5);

// True if x is within this tolerance. inf agrees with inf of its sign only, NaN with NaN only.
bool agrees(const PrintedNumber& printed, double x, double units = 0.5);

}  // namespace attn
