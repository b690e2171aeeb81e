// The result of a run. Text, comparison, JSON and pages are views of it; nothing is computed again.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stages/given_weights.hpp"
#include "stages/stage.hpp"

namespace attn {

// One stage walked: its notebook, and which nodes of it are steps.
struct StageTrace {
    const Stage* stage;
    Parameters parameters;          // resolved
    bool own_lesson = false;        // the reader's tokens, not the documents'
    bool own_weights = false;       // the reader's, not drawn
    std::vector<std::string> cuts;  // how these were cut out of a checkpoint, as Python
    Language language;              // of the lines of code: the stage's own, or the one asked for
    Notebook notebook;
    std::vector<std::size_t> steps;  // nodes, in order
    std::vector<std::size_t> shown;  // all of these, or those asked for
    std::vector<bool> needed = {};   // by node: the statements that those take; empty: all

    const Node& node(std::size_t id) const { return notebook.nodes()[id]; }
    // The node of the tensor called so, be it a step or a line between two; nothing when there is none.
    std::optional<std::size_t> find(std::string_view name) const;
    // The place of a step among all of them, counted from 1.
    std::size_t place(std::size_t step) const;

    bool shows(std::string_view step) const;
    // Shows only the steps called so, and before them only the lines that they take.
    void show_only(std::span<const std::string> names);
};

// The inputs of a walk besides the lesson.
struct Inputs {
    std::optional<std::size_t> focus = std::nullopt;  // by default the one find_focus has by default
    WeightSource weights = nullptr;
    Notebook::Watcher watcher = nullptr;     // for whoever waits for the walk
    Notebook::NameWatcher setter = nullptr;  // sets numbers of the tensors it is told
    // A stored mask for longer sequences is cut to the stage's length, because no step uses the rest.
    bool short_masks = false;
};

struct Trace {
    Lesson lesson;
    std::vector<StageTrace> stages;
    // Their inputs besides the lesson.
    std::optional<std::size_t> focus = std::nullopt;
    WeightSource weights = nullptr;
    Notebook::NameWatcher setter = nullptr;

    // To walk one of them again.
    Inputs inputs_of(const StageTrace& stage) const {
        return {focus, stage.own_weights ? weights : nullptr, nullptr, setter};
    }
};

// Walks one stage; all its steps are shown. Throws Error when parameters or weights do not fit it.
StageTrace walk(const Stage& stage, const Lesson& lesson, const Parameters& parameters,
                const Inputs& inputs = {});

// Walks a stage as a reader does who makes a mistake: every call is edited before it is evaluated. The walk
// ends where the mistake leaves a call that cannot be made; the steps until then are there.
StageTrace walk_edited(const Stage& stage, const Lesson& lesson, const Parameters& parameters,
                       const Inputs& inputs, std::vector<Edit> edits);

// The statements before the first step: what the others need, and data. In C++ what is included comes first,
// for the top of the file; all else stands in a function.
std::vector<std::string> setup_lines(const StageTrace& trace);

// The statements that make a shown step: its own, and all since the previous shown step that it or a later
// one needs. So the shown code always runs from top to bottom.
std::vector<std::string> step_lines(const StageTrace& trace, std::size_t step);

}  // namespace attn
