// Runs the stages that the options choose, with the lesson and the weights of the command line.
#pragma once

#include <span>

#include "options.hpp"
#include "stages/trace.hpp"

namespace attn {

// True if the command reads this file, or "-": a rehearsal reads only small files that exist.
bool is_read(const Options& options, const std::string& file);

// Returns the trace before any stage runs, with the lesson, focus and weights of the command line or the
// defaults.
Trace read_inputs(const RunOptions& options);

// Throws Error for --head without --weights.
void require_weights_of_head(const RunOptions& options);

// Returns the chosen stage that has a tensor with this name under these options; null if there is none.
// Without a stage, returns causal if possible.
const Stage* stage_with(const std::string& name, const RunOptions& options);

// Like stage_with(), but also knows names in other spellings and those of PyTorch's users: W_q for W_query.
const Stage* stage_with_step(const std::string& word);

// Returns the name of a step that is written in another spelling; empty if there is none. If one stage is
// given, its steps come first.
std::string usual_step(const std::string& word, std::span<const Stage* const> stages = {});

// Returns the names of the steps of these stages.
std::vector<std::string_view> names_of_steps(std::span<const Stage* const> stages);

// Returns the names of all stages with a tensor of this name, in reading order.
std::vector<std::string_view> stages_with(const std::string& name);

// Runs the chosen stages with the numbers of --set, and shows only the given steps; none: all. Throws Error
// if the lesson, the weights or the parameters do not fit a stage, or a step does not exist.
Trace make_trace(const RunOptions& options, const std::vector<std::string>& steps = {},
                 const std::vector<std::string>& set = {});

}  // namespace attn
