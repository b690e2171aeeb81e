// Numbers in decimal. Doubles are correctly rounded: what std::from_chars does, which not every standard
// library has for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace attn {

// Reads the decimal a text begins with, or inf or nan as C spells them; beyond double it is ±inf, and too
// small a one is 0. Returns how many characters it has: none when there is no number, and `value` stays.
std::size_t read_double(std::string_view text, double& value);

// True if the whole text is a whole number in base 10; "1e3", "0x10", "-1" and " 5" are not.
bool read_whole(std::string_view text, std::uint64_t& value);

}  // namespace attn
