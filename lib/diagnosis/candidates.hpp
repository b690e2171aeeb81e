// The right walks that a pasted tensor is held against: with the run's parameters, or with widths that its
// own shape suggests.
#pragma once

#include <vector>

#include "diagnosis/diagnosis.hpp"

namespace attn {

// One walk for each candidate. Throws Error when `as` is no step of any.
std::vector<StageTrace> right_walks(const Question& question);

// Walks with widths, heads' shares and batches of the tensor's own size, where the command line left them
// open and some step then has its shape.
std::vector<StageTrace> resized(const PrintedTensor& pasted, const Question& question);

}  // namespace attn
