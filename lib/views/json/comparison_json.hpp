// A run compared with printed tables, as JSON.
#pragma once

#include <span>
#include <string>

#include "views/comparison/comparison.hpp"

namespace attn {

std::string comparisons_json(std::span<const Comparison> comparisons);

}  // namespace attn
