// What a run leaves behind. Text, comparison, JSON and pages are views of it; nothing is computed again.
#pragma once

#include <vector>

#include "walkthrough/stage.hpp"

namespace attn {

// One stage walked: its notebook, and which nodes of it are steps.
struct StageTrace {
    const Stage* stage;
    Parameters parameters;
    Notebook notebook;
    std::vector<std::size_t> steps;

    const Node& step(std::size_t position) const { return notebook.nodes()[steps[position]]; }
};

struct Trace {
    Lesson lesson;
    std::vector<StageTrace> stages;
};

// Walks one stage. Throws Error when the parameters do not fit it.
StageTrace walk(const Stage& stage, const Lesson& lesson, const Parameters& parameters);

// The lines of code before the first step, and those of each step: its own, after the named lines it rests
// on.
std::vector<std::string> setup_lines(const StageTrace& trace, Language language);
std::vector<std::string> step_lines(const StageTrace& trace, std::size_t position, Language language);

}  // namespace attn
