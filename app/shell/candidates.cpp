#include "shell/candidates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "make_trace.hpp"
#include "shell/generate.hpp"
#include "stages/catalogue.hpp"
#include "stages/shipped.hpp"
#include "stages/trace.hpp"
#include "text/ascii.hpp"

namespace attn {

namespace {

// `mt19937`, not `N`, `FILE` or `-`: a word to be typed as it stands.
bool is_literal(std::string_view word) {
    return word != "-" && std::ranges::none_of(word, is_upper);
}

}  // namespace

Candidates candidates_of(const OptionRow& row) {
    Candidates candidates;
    if (row.name == "stage") {
        candidates.words = stage_candidates();
    } else if (row.name == "generate") {
        candidates.words = generated_names();
    }
    candidates.steps = row.name == "step" || row.value.starts_with("STEP");
    for (const std::string_view word : choices(row)) {
        candidates.files = candidates.files || word == "FILE";
        if (is_literal(word)) {
            candidates.words.push_back(word);
        }
    }
    return candidates;
}

std::vector<std::string_view> stage_candidates() {
    std::vector<std::string_view> names{"all"};
    for (const Stage* stage : catalogue()) {
        names.push_back(stage->name);
    }
    return names;
}

std::vector<StageSteps> step_candidates() {
    const Lesson lesson = built_in_lesson();
    std::vector<StageSteps> stages;
    for (const Stage* stage : catalogue()) {
        Parameters parameters = stage->defaults;
        parameters.qkv_bias = parameters.qkv_bias || uses(*stage, "qkv_bias");
        if (uses(*stage, "dropout") && parameters.dropout == 0.0) {
            parameters.dropout = 0.5;
        }
        const StageTrace trace = walk(*stage, lesson, parameters);
        std::vector<std::string>& names = stages.emplace_back(StageSteps{stage->name, {}}).steps;
        for (const std::size_t step : trace.steps) {
            names.push_back(trace.node(step).name);
        }
    }
    return stages;
}

std::string all_steps(const std::vector<StageSteps>& stages) {
    std::vector<std::string_view> names;
    for (const StageSteps& stage : stages) {
        for (const std::string& name : stage.steps) {
            if (std::ranges::find(names, name) == names.end()) {
                names.push_back(name);
            }
        }
    }
    return fmt::format("{}", fmt::join(names, " "));
}

}  // namespace attn
