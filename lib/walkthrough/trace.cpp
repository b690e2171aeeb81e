#include "walkthrough/trace.hpp"

#include <optional>
#include <utility>

#include "notebook/render.hpp"
#include "tensor/error.hpp"
#include "walkthrough/checkpoint.hpp"
#include "walkthrough/focus.hpp"
#include "walkthrough/weights.hpp"

namespace attn {

namespace {

// A line break before anything but a space ends a statement.
void append_statements(const std::string& text, std::vector<std::string>& statements) {
    std::size_t start = 0;
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
        if (text[at + 1] != ' ') {
            statements.push_back(text.substr(start, at - start));
            start = at + 1;
        }
    }
    statements.push_back(text.substr(start));
}

StageTrace walk_notebook(const Stage& stage, const Lesson& lesson, const Parameters& parameters,
                         const Brought& brought, Notebook notebook) {
    const Lesson* const own_lesson = uses(stage, "input") ? &lesson : nullptr;
    StageTrace trace{&stage, parameters, brought.weights != nullptr, {}, std::move(notebook), {}, {}};
    std::optional<Weights> weights;
    if (brought.weights != nullptr) {
        weights = for_stage(*brought.weights, stage);  // each stage takes its own
        trace.parameters = resolved(trace.parameters, own_lesson);
        if (own_lesson != nullptr) {
            weights->require_width(trace.parameters.d_in);
        }
        weights->adopt(trace.parameters);
        trace.parameters.d_in = parameters.d_in;  // which may follow from the width adopted
    }
    trace.parameters = resolved(trace.parameters, own_lesson);
    trace.notebook.watch(brought.watcher);
    const std::size_t focus = brought.focus ? *brought.focus : find_focus(lesson, std::nullopt);
    const Run run{lesson, trace.parameters, focus, weights ? &*weights : nullptr};
    if (trace.notebook.is_edited()) {
        try {
            stage.walk(trace.notebook, run);
        } catch (const Error&) {  // as far as the mistake lets it
        }
    } else {
        stage.walk(trace.notebook, run);
        if (weights) {
            weights->require_all_taken(stage.name, trace.parameters.context_length);
        }
    }
    trace.notebook.watch(nullptr);
    if (weights) {
        trace.cuts = weights->cuts();
    }
    const std::vector<Node>& nodes = trace.notebook.nodes();
    for (std::size_t id = 0; id < nodes.size(); ++id) {
        if (nodes[id].role == Role::step) {
            trace.shown.push_back(trace.steps.size());
            trace.steps.push_back(id);
        }
    }
    return trace;
}

}  // namespace

StageTrace walk(const Stage& stage, const Lesson& lesson, const Parameters& parameters,
                const Brought& brought) {
    return walk_notebook(stage, lesson, parameters, brought, Notebook());
}

StageTrace walk_edited(const Stage& stage, const Lesson& lesson, const Parameters& parameters,
                       const Brought& brought, std::vector<Edit> edits) {
    return walk_notebook(stage, lesson, parameters, brought, Notebook(std::move(edits)));
}

std::vector<std::string> setup_lines(const StageTrace& trace, Language language) {
    std::vector<std::string> lines;
    if (language == Language::torch) {
        lines.emplace_back("import torch");
    } else if (language == Language::numpy) {
        lines.emplace_back("import numpy as np");
    }
    for (const std::string& cut : trace.cuts) {
        lines.push_back("# " + cut);
    }
    const std::vector<Node>& nodes = trace.notebook.nodes();
    for (std::size_t id = 0; id < nodes.size(); ++id) {
        if (nodes[id].role == Role::setup) {
            lines.push_back(statement(trace.notebook, id, language));
        }
    }
    return lines;
}

std::vector<std::string> step_lines(const StageTrace& trace, std::size_t n, Language language) {
    std::vector<std::string> lines;
    const std::size_t first = n == 0 ? 0 : trace.steps[trace.shown[n - 1]] + 1;
    for (std::size_t id = first; id <= trace.steps[trace.shown[n]]; ++id) {
        const Role role = trace.notebook.nodes()[id].role;
        if (role == Role::line || role == Role::step) {
            append_statements(statement(trace.notebook, id, language), lines);
        }
    }
    return lines;
}

}  // namespace attn
