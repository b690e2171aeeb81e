// A float32 as text that gives the same number back.
#pragma once

#include <cstddef>
#include <string>

namespace attn {

// The shortest decimal that gives this finite number again when it is read as a double and rounded to
// float32, as Python, PyTorch and JSON readers do. It always has a point or an exponent, so that Python does
// not read an integer: "0.43", "1e-05", "2.0".
std::string shortest_digits(float value);
// The same at `to`, where there is room for `most_digits` characters; returns where it ends.
inline constexpr std::size_t most_digits = 24;
char* write_shortest_digits(float value, char* to);

// The shortest decimal that gives this double again: "0.5", "3", "1e-05". Not fmt's, whose text depends on
// its version, and which writes 0.0001 for 1e-04.
std::string shortest_digits(double value);

}  // namespace attn
