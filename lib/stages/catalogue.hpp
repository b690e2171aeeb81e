// All stages, in reading order.
#pragma once

#include <span>

#include "stages/stage.hpp"

namespace attn {

std::span<const Stage* const> catalogue();

// Returns the stage of that name, or null.
const Stage* find_stage(std::string_view name);

}  // namespace attn
