// Finds the step with the closest numbers for a tensor that nothing explains.
#pragma once

#include <optional>
#include <string>

#include "diagnosis/diagnosis.hpp"
#include "diagnosis/right_walks.hpp"

namespace attn {

// Compares the steps that have a piece of the pasted shape; unless `as` is empty, only steps of this name.
// Returns nothing if there are none.
std::optional<Nearest> nearest(const Pattern& pasted, const std::string& as, const Walks& rights);

}  // namespace attn
