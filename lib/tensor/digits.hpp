// A float32 as text that gives the same number back.
#pragma once

#include <string>

namespace attn {

// The shortest decimal that, read as a double and then rounded to float32 as Python and PyTorch do, is this
// number again: "0.43", "1e-05", "2". Infinities and NaN are "inf", "-inf" and "nan".
std::string shortest_digits(float value);

}  // namespace attn
