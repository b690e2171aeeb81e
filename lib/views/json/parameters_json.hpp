// Parameters as JSON, wherever they are shown.
#pragma once

#include "files/json_value.hpp"
#include "stages/parameters.hpp"

namespace attn {

// {"seed": 789, …}: every parameter that a stage uses.
Json parameters_json(const Parameters& parameters);

}  // namespace attn
