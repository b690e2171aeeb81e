// From checked options to the trace: lesson and weights are read, and the chosen stages walked.
#pragma once

#include <optional>

#include "options.hpp"
#include "stages/trace.hpp"
#include "weights/weights.hpp"

namespace attn {

// What the command line brings or leaves to the program.
struct Data {
    Lesson lesson;
    std::optional<Weights> weights;
    std::optional<std::size_t> focus;
};
Data read_data(const Options& options);

// Throws Error when the lesson, the weights or the parameters do not fit a stage, or a step is none of
// theirs.
Trace make_trace(const Options& options);
Trace make_trace(const Options& options, const Data& data);

// Throws Error when no stage is chosen.
void require_stage(const Options& options);

}  // namespace attn
