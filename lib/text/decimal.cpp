#include "text/decimal.hpp"

#include <fast_float/fast_float.h>

#include <charconv>

namespace attn {

namespace {

bool reads_whole(std::string_view text, auto& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::size_t read_double(std::string_view text, double& value) {
    const char* const begin = text.data();
    // Some versions of fast_float report an error for 1e400; the value is the same in all.
    return std::size_t(fast_float::from_chars(begin, begin + text.size(), value).ptr - begin);
}

bool read_whole(std::string_view text, std::uint64_t& value) {
    return reads_whole(text, value);
}

bool read_whole(std::string_view text, std::int64_t& value) {
    return reads_whole(text, value);
}

}  // namespace attn
