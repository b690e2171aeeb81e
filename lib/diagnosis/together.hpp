// Evidence of several tensors of one run: the mistake that explains most of them, the first step that shows
// it, and the steps that only follow from that.
#pragma once

#include <span>
#include <vector>

#include "diagnosis/diagnosis.hpp"
#include "diagnosis/right_walks.hpp"

namespace attn {

// Puts first in each what explains most of all diagnoses, and says of later steps which one they inherit a
// mistake from. Where nothing explains the first step that differs, the stages are walked on from it as it
// was pasted.
void take_together(std::span<Diagnosis> diagnoses, std::span<const Pattern* const> patterns,
                   std::span<const RightWalk> rights, const Question& question);

}  // namespace attn
