// Edits of one place in the code of a walk, for mistakes that no table names: a different operand, number or
// operation, or a call that is left out.
#pragma once

#include <vector>

#include "mistakes/mistakes.hpp"

namespace attn {

// Returns all edits of the calls of a right walk. One costs the bits of its kind, and those that choose it
// among all.
std::vector<WalkEdit> general_edits(const Notebook& right);

}  // namespace attn
