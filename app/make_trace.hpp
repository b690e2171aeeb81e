// From checked options to the trace: lesson and weights are read, and the chosen stages walked.
#pragma once

#include "options.hpp"
#include "walkthrough/trace.hpp"

namespace attn {

// The sentence of the documents, compiled in.
Lesson built_in_lesson();

// Throws Error when the lesson, the weights or the parameters do not fit a stage, or a step is none of
// theirs.
Trace make_trace(const Options& options);

}  // namespace attn
