// One number as PyTorch, NumPy, Python and JSON write it, with what its text says about its precision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace attn {

struct WrittenNumber {
    enum class Kind : std::uint8_t { whole, fixed, scientific, word };  // 2 or 2. · 0.5 · 1.2e-03 · True, nan

    double value = 0.0;
    std::int16_t decimals = 0;  // digits after the point, of the mantissa if scientific
    std::int16_t exponent = 0;
    std::uint8_t significant = 0;  // digits from the first that is not 0
    Kind kind = Kind::whole;
    bool boolean = false;
    bool point = false;
};

// Thrown for a text that is no list of numbers.
struct Unreadable {
    std::size_t offset;
    std::string problem;
    bool began;  // numbers were read before: so it was meant as one
};

// The number that begins at text[at]; `at` is moved behind it. Throws Unreadable.
WrittenNumber read_number(std::string_view text, std::size_t& at);

// A number as the shortest text that reads back to the same float32 says it.
WrittenNumber written_number(double value);
WrittenNumber written_word(double value, bool boolean);  // True, nan, …: exact

}  // namespace attn
