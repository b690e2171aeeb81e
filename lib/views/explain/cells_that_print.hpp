// Finds the cells with a printed number.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stages/trace.hpp"

namespace attn {

bool is_number(std::string_view text);

// Returns `causal 'keys[1][0]'` and the like for each cell that rounds to these digits. Digits without a
// point must match exactly.
std::vector<std::string> cells_that_print(const Trace& trace, const std::string& digits);

}  // namespace attn
