// The command walk. Its hidden twin for the page has the same options, and explain shows steps with it.
#pragma once

#include "commands/declare.hpp"
#include "stages/trace.hpp"

namespace attn {

struct WalkOptions : StepOptions {
    bool one_by_one = false;               // true: the steps are shown one at a time
    std::optional<std::string> rows = {};  // a window, or a token
    bool heatmap = false;
    std::optional<Language> code = {};  // language of the code lines; empty: each stage's default
    bool quiet = false;                 // true: only tensors are printed
    bool all_heads = false;
    bool no_code = false;  // true: lines of code are left out
    bool no_map = false;   // true: the main path of the stage is left out above each step
};

Command walk_command();

void declare_walk(Declaration& declared, WalkOptions& options);

// Takes the stages and steps from the words; true if the stage was guessed from them. Throws Error without
// one.
bool take_walk(WalkOptions& options);

// Runs the chosen stages, with code lines in the chosen language.
Trace make_walk(const WalkOptions& options);

// Shows the chosen stages step by step, or writes them.
ExitCode run_walk(WalkOptions& options);

}  // namespace attn
