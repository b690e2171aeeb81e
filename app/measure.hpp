// How long attention takes on this machine. Times are printed and nothing else: they are no part of a trace.
#pragma once

#include <string>
#include <string_view>

#include "stages/parameters.hpp"

namespace attn {

// A table of times and rates at the sequence lengths, for the materialised way and the fused kernel, how fast
// they grow, a plot of them, and what they were measured on. Takes about five seconds at most: lengths that
// would take longer are left out.
std::string measured(const Parameters& parameters, std::string_view language);

}  // namespace attn
