// From checked options to the trace: lesson and weights are read, and the chosen stages walked.
#pragma once

#include "options.hpp"
#include "stages/trace.hpp"

namespace attn {

// A trace before any stage is walked: the lesson, the focus and the weights that the command line brings or
// leaves to the program.
Trace read_inputs(const Options& options);

// The first stage, causal before all others, with a tensor of that name; null where none has one.
const Stage* stage_with(const std::string& name, const Options& options);

// Throws Error when the lesson, the weights or the parameters do not fit a stage, and when a step is none of
// theirs.
Trace make_trace(const Options& options);

}  // namespace attn
