// Finds a tensor of a document's code among the steps of the walks on its lessons.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dataflow/dataflow.hpp"
#include "judge/lessons.hpp"
#include "stages/trace.hpp"

namespace attn {

struct Found {
    const StageTrace* walk;
    std::size_t step;
    std::string piece{};
    bool is_block = false;  // a part such as [4:8], as a narrower layer with the same draws has it
};

// The steps that a node equals: the whole step, the part at some first indices, or a block of it. The one
// that suits best comes first.
std::vector<Found> find_steps(const Computed& node, const Lessons& lessons);

// True if numbers are equal up to rounding, and up to `slack`.
bool is_close(std::span<const float> a, std::span<const float> b, double slack);

}  // namespace attn
