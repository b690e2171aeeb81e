// The step some numbers come closest to, where nothing explains them.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "diagnosis/diagnosis.hpp"
#include "diagnosis/right_walks.hpp"

namespace attn {

// Compares only steps that have such a piece and the name `as`, unless that is empty. Empty if there are
// none.
std::optional<Nearest> nearest(const Pattern& pasted, const std::string& as,
                               std::span<const RightWalk> rights);

}  // namespace attn
