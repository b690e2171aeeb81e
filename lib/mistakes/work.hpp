// The work of a walk, which a Budget limits.
#pragma once

#include <cstddef>

#include "mistakes/budget.hpp"
#include "stages/trace.hpp"

namespace attn {

// Returns how many numbers a walk computes. Its time and memory are proportional to this count.
std::size_t effort(const StageTrace& trace);

// Estimates the work of a call, and of a walk.
Work work_of_call(const Node& call);
Work work_of(const StageTrace& trace);

}  // namespace attn
