// The arithmetic that explanations are written in, and what it comes to.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace attn {

// What a text such as `0.55·(−0.0872) + max(1, {}) / 2` comes to in double precision, but with the range of
// float32: a larger factor is ∞. Each `{}` is the next of the numbers. Signs are + − · /, with exp, sqrt, abs
// and max, `[a ≤ b]`, `[a = b]` and `[a ≠ b]`, which are 1 when true and otherwise 0, and ∞, π and nan.
// Throws std::logic_error for any other text, and for more or fewer numbers than `{}`.
double evaluate(std::string_view arithmetic, std::span<const double> numbers = {});

// The parts between the separators that stand in no brackets: a + (b + c) has two between " + ".
std::vector<std::string_view> outermost(std::string_view arithmetic, std::string_view separator);

// How many `{}` it has.
std::size_t count_places(std::string_view arithmetic);

}  // namespace attn
