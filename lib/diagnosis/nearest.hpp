// Finds the step whose numbers come closest, when nothing explains them.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "diagnosis/diagnosis.hpp"
#include "diagnosis/right_walks.hpp"

namespace attn {

// Compares only steps that have such a piece and are called `as`, unless `as` is empty. Returns nothing if
// there are none.
std::optional<Nearest> nearest(const Pattern& pasted, const std::string& as,
                               std::span<const RightWalk> rights);

}  // namespace attn
