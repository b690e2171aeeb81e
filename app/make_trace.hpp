// Options → trace: reads lesson and weights, and runs the chosen stages.
#pragma once

#include "options.hpp"
#include "stages/trace.hpp"

namespace attn {

// Returns a trace before any stage runs: the lesson, focus and weights of the command line, or the defaults.
Trace read_inputs(const Options& options);

// Returns the first stage with a tensor of that name, trying causal first; null if there is none.
const Stage* stage_with(const std::string& name, const Options& options);

// Throws Error if the lesson, the weights or the parameters do not fit a stage, or a step does not exist.
Trace make_trace(const Options& options);

}  // namespace attn
