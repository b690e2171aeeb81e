#include "text/decimal.hpp"

#include <fast_float/fast_float.h>

#include <charconv>

namespace attn {

std::size_t read_double(std::string_view text, double& value) {
    const char* const begin = text.data();
    // Versions of fast_float differ in whether 1e400 is an error, but not in its value.
    return static_cast<std::size_t>(fast_float::from_chars(begin, begin + text.size(), value).ptr - begin);
}

bool read_whole(std::string_view text, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

}  // namespace attn
