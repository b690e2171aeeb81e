#include "text/decimal.hpp"

#include <fast_float/fast_float.h>

namespace attn {

std::size_t read_double(std::string_view text, double& value) {
    const char* const begin = text.data();
    // Its versions differ in whether they call 1e400 out of range, not in what they make of it.
    return static_cast<std::size_t>(fast_float::from_chars(begin, begin + text.size(), value).ptr - begin);
}

}  // namespace attn
