// Runs the diagnose command.
#pragma once

#include "commands/command.hpp"

namespace attn {

// Judges what the user hands in; throws Error. In the program that run.sh builds first, the rooms that judge
// are missing. It ends with exit code 3, without an answer, and run.sh builds the whole program.
ExitCode run_diagnose(Options& options);

}  // namespace attn
