// Recognises documents that show all steps of a stage, such as those that this program writes.
#pragma once

#include "judge/code_reading.hpp"
#include "judge/found_steps.hpp"
#include "judge/judge.hpp"

namespace attn {

// Judges a document that shows all steps of a stage in their order as right, also where the stage
// demonstrates a mistake.
void recognise_stage(const CodeReading& code, Judgement& result);

// A printed tensor that is a step.
Match match_of(const Found& found, const PrintedTensor& printed);

}  // namespace attn
