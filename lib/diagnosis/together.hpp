// Combines the evidence of several tensors of one run: the mistake that explains most of them, the first step
// that shows it, and the steps that only inherit it.
#pragma once

#include <span>
#include <vector>

#include "diagnosis/diagnosis.hpp"
#include "diagnosis/right_walks.hpp"

namespace attn {

// Moves the best common explanation to the front of each diagnosis, and marks later steps that inherit a
// mistake. If nothing explains the first step that differs, the stages are continued from the pasted numbers.
void take_together(std::span<Diagnosis> diagnoses, std::span<const Pattern* const> patterns,
                   std::span<const RightWalk> rights, const Question& question);

}  // namespace attn
