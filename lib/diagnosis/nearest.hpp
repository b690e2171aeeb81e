// Finds the step whose numbers come closest, when nothing explains them.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "diagnosis/diagnosis.hpp"
#include "diagnosis/right_walks.hpp"

namespace attn {

// Compares only steps that have a piece of the pasted shape and are called `as`; an empty `as` allows any
// name. Returns nothing if no step can be compared.
std::optional<Nearest> nearest(const Pattern& pasted, const std::string& as,
                               std::span<const RightWalk> rights);

}  // namespace attn
