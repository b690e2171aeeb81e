// Walks stages for tests of the result.
#pragma once

#include <initializer_list>
#include <set>
#include <string_view>
#include <vector>

#include "stages/catalogue.hpp"
#include "stages/shipped.hpp"
#include "stages/trace.hpp"

namespace attn {

inline Lesson journey() {
    return built_in_lesson();
}

inline Parameters causal_defaults() {
    return find_stage("causal")->defaults;
}

inline StageTrace walk_defaults(std::string_view stage, const Lesson& lesson = journey()) {
    return walk(*find_stage(stage), lesson, find_stage(stage)->defaults);
}

inline StageTrace walk_causal(const Lesson& lesson = journey(),
                              const Parameters& parameters = causal_defaults()) {
    return walk(*find_stage("causal"), lesson, parameters);
}

inline StageTrace walk_causal(const Parameters& parameters) {
    return walk_causal(journey(), parameters);
}

inline Trace trace_of(std::initializer_list<std::string_view> stages) {
    Trace trace{journey(), {}};
    for (const std::string_view stage : stages) {
        trace.stages.push_back(walk_defaults(stage));
    }
    return trace;
}

// Returns the names of all parameters, as if each were given.
inline std::vector<std::string_view> all_parameter_names() {
    std::vector<std::string_view> names;
    for (const ParameterRow& row : parameter_table()) {
        names.push_back(row.name);
    }
    return names;
}

// Returns the operations that the stages use at their defaults.
inline const std::set<const Operation*>& operations_in_use() {
    static const std::set<const Operation*> operations = [] {
        std::set<const Operation*> found;
        for (const Stage* stage : catalogue()) {
            const StageTrace trace = walk_defaults(stage->name);
            for (const Node& node : trace.notebook.nodes()) {
                found.insert(node.call.operation);
            }
        }
        return found;
    }();
    return operations;
}

inline const Tensor& step_value(const StageTrace& trace, std::string_view name) {
    return trace.node(trace.find(name).value()).value;
}

// The stage `simplified` multiplies its large scores by a factor that depends on the scores. Returns true for
// a step that two walks compute with different factors; calls that are repeated with an edit keep the factor.
inline bool has_other_factor(std::string_view step, const StageTrace& trace, const StageTrace& other) {
    const auto factor = [](const StageTrace& walked) {
        return walked.node(walked.find("large_scores_2").value()).call.value("value");
    };
    return (step.starts_with("large_") || step.starts_with("shifted_")) && factor(trace) != factor(other);
}

}  // namespace attn
