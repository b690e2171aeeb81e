// The shortest decimal text from which a number can be read back exactly.
#pragma once

#include <string>

namespace attn {

// Returns the shortest decimal that gives this finite number again when it is read as a double and rounded to
// float32, as Python, PyTorch and JSON readers do. The text always has a point or an exponent, so that Python
// does not read an integer: "0.43", "1e-05", "2.0".
std::string shortest_digits(float value);

// Returns the shortest decimal that gives this double again: "0.5", "3", "1e-05". fmt's text is not used,
// because it depends on fmt's version, and fmt writes 0.0001 for 1e-04.
std::string shortest_digits(double value);

}  // namespace attn
