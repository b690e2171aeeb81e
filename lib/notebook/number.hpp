// A number of the surrounding program, such as a width or a probability, with its text in each language. A
// line of code can say `keys.shape[-1]**0.5` where the arithmetic uses 1.4142135.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "notebook/formula.hpp"

namespace attn {

// The languages a call can be rendered in. Each is one column of an operation's row.
enum class Language { torch, numpy, cpp };
inline constexpr std::size_t language_count = 3;
inline constexpr std::array<std::string_view, language_count> language_names{"torch", "numpy", "cpp"};

constexpr std::string_view name_of(Language language) {
    return language_names[static_cast<std::size_t>(language)];
}

struct Number {
    double value = 0.0;
    std::array<std::string, language_count> reads;
    Formula formula;
    std::vector<std::size_t> nodes = {};  // the named tensors and numbers that it mentions

    const std::string& in(Language language) const { return reads[static_cast<std::size_t>(language)]; }
};

// Reads as its own digits: all of a whole number, otherwise the shortest that give the same double.
Number literal(double value);
Number literal(std::integral auto value) {
    const std::string text = std::to_string(value);
    return {static_cast<double>(value), {text, text, text}, digits(text)};
}

// Reads "True" or "False" in Python and "true" or "false" in C++.
Number truth(bool value);

// −∞: -torch.inf, -np.inf
Number minus_infinity();

// From names and digits, which need no brackets. -window, -window + 1, n - window, num_kv_heads * head_dim
Number operator-(const Number& x);
Number operator+(const Number& a, const Number& b);
Number operator-(const Number& a, const Number& b);
Number operator*(const Number& a, const Number& b);

// How often `by` fits into a number. d_out // num_heads
Number quotient(const Number& number, const Number& by);

// 1 - p
Number one_minus(const Number& p);

// d_k**0.5; NumPy is told to keep to float32, which a double would leave: np.sqrt(d_k, dtype=np.float32)
Number sqrt(const Number& d);

}  // namespace attn
