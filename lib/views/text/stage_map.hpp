// The main path of a stage in one line: inputs → Q K V → scores → [masked] → weights → context.
#pragma once

#include <cstddef>
#include <string>

#include "stages/trace.hpp"

namespace attn {

// Returns the main path with the shapes of its tensors where they change. Empty for a stage without a map in
// data/maps.json.
std::string map_with_shapes(const StageTrace& trace);

// Returns the main path with the current step in brackets. A step beside the path stands for the next step
// of the path. Empty for a step after the end of the path.
std::string map_at(const StageTrace& trace, std::size_t step);

}  // namespace attn
