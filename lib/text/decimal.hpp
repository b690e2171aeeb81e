// Decimals read as doubles, correctly rounded: what std::from_chars does, which not every standard library
// has for double.
#pragma once

#include <cstddef>
#include <string_view>

namespace attn {

// Reads the decimal a text begins with, or inf or nan as C spells them; beyond double it is ±inf, and too
// small a one is 0. Returns how many characters it has: none when there is no number, and `value` stays.
std::size_t read_double(std::string_view text, double& value);

}  // namespace attn
