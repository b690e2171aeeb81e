// Decimal numbers. Doubles are correctly rounded, like those of std::from_chars, which some standard
// libraries do not have for double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace attn {

// Reads the decimal number at the start of a text, or inf or nan as C writes them. Numbers too large for
// double give ±inf, too small ones 0. Returns how many characters were read. If there is no number, returns 0
// and leaves `value` unchanged.
std::size_t read_double(std::string_view text, double& value);

// True if the whole text is a whole number in base 10; false for "1e3", "0x10", "-1" and " 5".
bool read_whole(std::string_view text, std::uint64_t& value);
// The same, with an optional minus sign.
bool read_whole(std::string_view text, std::int64_t& value);

}  // namespace attn
