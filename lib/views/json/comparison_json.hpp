// A run compared with printed tables, as JSON.
#pragma once

#include <span>
#include <string>

#include "printed/comparison.hpp"

namespace attn {

std::string comparisons_json(std::span<const Comparison> comparisons);

}  // namespace attn
