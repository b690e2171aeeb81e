// Writes numbers with as few digits as give the same number when read back.
#pragma once

#include <string>

namespace attn {

// Returns the shortest decimal from which this finite float32 can be read back: "0.43", "1e-05", "2.0".
// Readers in Python, PyTorch and JSON read a double and round it to float32. There is always a point or an
// exponent, because Python would read an integer otherwise.
std::string shortest_digits(float value);

// Returns the shortest decimal from which this double can be read back: "0.5", "3", "1e-05". fmt's own text
// is not used, because it depends on fmt's version.
std::string shortest_digits(double value);

}  // namespace attn
