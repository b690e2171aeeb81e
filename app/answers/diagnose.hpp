// The command diagnose, as compare runs it.
#pragma once

#include "commands/command.hpp"

namespace attn {

// Judges the files among the words. Takes the stages and the step from the words, too.
ExitCode judge_files(NumbersOptions& options);

}  // namespace attn
