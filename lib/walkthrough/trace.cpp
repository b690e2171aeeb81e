#include "walkthrough/trace.hpp"

#include "notebook/render.hpp"

namespace attn {

StageTrace walk(const Stage& stage, const Lesson& lesson, const Parameters& parameters) {
    StageTrace trace{&stage, resolved(parameters, lesson), {}, {}, {}};
    stage.walk(trace.notebook, {lesson, trace.parameters});
    const std::vector<Node>& nodes = trace.notebook.nodes();
    for (std::size_t id = 0; id < nodes.size(); ++id) {
        if (nodes[id].role == Role::step) {
            trace.shown.push_back(trace.steps.size());
            trace.steps.push_back(id);
        }
    }
    return trace;
}

std::vector<std::string> setup_lines(const StageTrace& trace, Language language) {
    std::vector<std::string> lines;
    if (language == Language::torch) {
        lines.emplace_back("import torch");
    } else if (language == Language::numpy) {
        lines.emplace_back("import numpy as np");
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
            lines.push_back(statement(trace.notebook, id, language));
        }
    }
    return lines;
}

}  // namespace attn
