// The result of a run. Text, comparison, JSON and pages show it and compute nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stages/stage.hpp"
#include "stages/state_dict.hpp"

namespace attn {

// A run of one stage: its notebook, and which nodes are steps.
struct StageTrace {
    const Stage* stage;
    Parameters parameters;          // resolved
    bool own_lesson = false;        // true if the tokens are the reader's own
    bool own_weights = false;       // true if the weights are the reader's own
    std::vector<std::string> cuts;  // Python lines that cut the weights out of a checkpoint
    Language language;              // the language of the code lines
    Notebook notebook;
    std::vector<std::size_t> steps;  // the nodes of the steps, in order
    std::vector<std::size_t> shown;  // the nodes of the steps to show
    std::vector<bool> needed = {};   // for each node: true if a shown step needs it; empty if all are needed

    const Node& node(std::size_t id) const { return notebook.nodes()[id]; }
    // Returns the node of a step, or of a line between steps, with this name; nothing if there is none.
    std::optional<std::size_t> find(std::string_view name) const;
    // Returns the number of a step, counted from 1.
    std::size_t place(std::size_t step) const;

    bool shows(std::string_view step) const;
    // Shows only the steps with these names, and the lines that they need.
    void show_only(std::span<const std::string> names);
};

// The inputs of a run besides the lesson.
struct Inputs {
    std::optional<std::size_t> focus = std::nullopt;  // default: as find_focus
    WeightSource weights = nullptr;
    Notebook::Watcher watcher = nullptr;     // reports progress
    Notebook::NameWatcher setter = nullptr;  // replaces numbers of named tensors
    // If true, only the part of a stored mask that the tokens need is kept.
    bool short_masks = false;
};

struct Trace {
    Lesson lesson;
    std::vector<StageTrace> stages;
    // The inputs of all stages besides the lesson.
    std::optional<std::size_t> focus = std::nullopt;
    WeightSource weights = nullptr;
    Notebook::NameWatcher setter = nullptr;

    // The inputs for running a stage again.
    Inputs inputs_of(const StageTrace& stage) const {
        return {focus, stage.own_weights ? weights : nullptr, nullptr, setter};
    }
};

// The bytes that walks should need at most.
inline constexpr double most_memory = 2e9;

// Runs a stage; all its steps are shown. Throws Error if parameters or weights do not fit it.
StageTrace walk(const Stage& stage, const Lesson& lesson, const Parameters& parameters,
                const Inputs& inputs = {});

// Runs a stage with a mistake: every call is edited before it is evaluated. If a call then fails, the run
// ends, and its steps so far are returned.
StageTrace walk_edited(const Stage& stage, const Lesson& lesson, const Parameters& parameters,
                       const Inputs& inputs, const std::vector<Edit>& edits);

// The statements before the first step: imports, helper functions, and data. In C++, the includes are first;
// all other statements are in a function.
std::vector<std::string> setup_lines(const StageTrace& trace);

// The statements before a shown step and its own: all since the previous shown step that this step or a later
// one needs. So the shown code runs from top to bottom.
std::vector<std::string> step_lines(const StageTrace& trace, std::size_t step);

}  // namespace attn
