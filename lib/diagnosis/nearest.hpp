// The step a tensor comes closest to, where nothing explains it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnosis/diagnosis.hpp"

namespace attn {

// Of the steps that have its shape, and are called `as` unless that is empty; none has: nothing.
std::optional<Nearest> nearest(const PrintedTensor& pasted, const std::string& as,
                               const std::vector<StageTrace>& rights);

}  // namespace attn
