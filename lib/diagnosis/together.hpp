// Combines several tensors of one run. Finds the mistake that explains most of them, the first step with it,
// and later steps that differ only because of it.
#pragma once

#include <span>

#include "diagnosis/diagnosis.hpp"
#include "diagnosis/right_walks.hpp"

namespace attn {

// Moves the best common explanation to the front of each diagnosis, and marks later steps that inherit a
// mistake. If the first differing step has no explanation, the later steps are computed from its pasted
// numbers.
void take_together(std::span<Diagnosis> diagnoses, std::span<const Pattern* const> patterns,
                   const Walks& rights, const Question& question);

}  // namespace attn
