// Recognises outputs by the names and numbers of steps, such as those of scripts that this program writes.
#pragma once

#include "judge/code_reading.hpp"
#include "judge/found_steps.hpp"
#include "judge/judge.hpp"

namespace attn {

// Judges outputs that are not recognised as right if their label is the name of a step, their numbers are
// that step's, and the code beside them gives no others. Where a stage is shown whole, also the mistakes that
// it demonstrates.
void recognise_steps(const CodeReading& code, Judgement& result);

// A printed tensor that is a step.
Match match_of(const Found& found, const PrintedTensor& printed);

}  // namespace attn
