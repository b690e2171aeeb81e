// Parameters as JSON, for all JSON output.
#pragma once

#include "files/json_value.hpp"
#include "stages/parameters.hpp"

namespace attn {

// Returns {"seed": 789, …} with every parameter that the stage uses.
Json parameters_json(const Parameters& parameters);

}  // namespace attn
