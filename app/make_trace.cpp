#include "make_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "parameters.hpp"
#include "progress.hpp"
#include "set_numbers.hpp"
#include "stages/focus.hpp"
#include "stages/lesson_reader.hpp"
#include "stages/shipped.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"
#include "weights/weights_reader.hpp"

namespace attn {

namespace {

// find_focus with, for a token that is not there, the nearest one that is.
std::size_t focus_of(const Lesson& lesson, const std::string& wanted) {
    try {
        return find_focus(lesson, wanted);
    } catch (const Error& error) {
        const std::vector<std::string_view> tokens(lesson.tokens.begin(), lesson.tokens.end());
        const bool repeated = std::ranges::find(tokens, wanted) != tokens.end();
        throw Error("--focus: {}{}", error.message(), repeated ? Message() : did_you_mean(wanted, tokens));
    }
}

// The name of a step that is chosen by its number in the headings, `16` of `causal 16/20`, in each stage.
std::vector<std::string> names_of(const std::string& wanted, const Trace& trace) {
    if (!std::ranges::all_of(wanted, is_digit)) {
        return {wanted};
    }
    std::vector<std::string> names;
    for (const StageTrace& stage : trace.stages) {
        for (std::size_t place = 1; place <= stage.steps.size(); ++place) {
            if (std::to_string(place) == wanted) {
                names.push_back(stage.node(stage.steps[place - 1]).name);
            }
        }
    }
    return names;
}

// Leaves of each stage only the steps asked for; each must be one of some stage.
void select_steps(const std::vector<std::string>& wanted, Trace& trace) {
    std::vector<std::string_view> names;
    for (const StageTrace& stage : trace.stages) {
        for (const std::size_t step : stage.steps) {
            names.push_back(stage.node(step).name);
        }
    }
    std::vector<std::string> chosen;
    for (const std::string& word : wanted) {
        const std::vector<std::string> found = names_of(word, trace);
        if (found.empty() || std::ranges::find(names, found.front()) == names.end()) {
            throw Error(
                "--step: the chosen stages have no step {}.{} attn-walkthrough list {} names their steps.",
                in_quotes(word), did_you_mean(word, names), trace.stages.front().stage->name);
        }
        chosen.insert(chosen.end(), found.begin(), found.end());
    }
    for (StageTrace& stage : trace.stages) {
        stage.show_only(chosen);
    }
    std::erase_if(trace.stages, [](const StageTrace& stage) { return stage.shown.empty(); });
}

std::optional<std::size_t> given_heads(const Options& options) {
    std::optional<std::size_t> heads;
    for (const auto& [parameter, text] : options.parameters) {
        if (parameter == "num_heads") {
            Parameters parameters;
            find_parameter(parameter)->read(parameters, text);
            heads = parameters.num_heads;
        }
    }
    return heads;
}

// What the weights say about widths and heads, the command line may repeat but not contradict.
void require_agreement(const Options& options, const StageTrace& trace) {
    Parameters asked = trace.parameters;
    for (const auto& [parameter, text] : options.parameters) {
        const ParameterRow& row = *find_parameter(parameter);
        row.read(asked, text);
        if (uses(*trace.stage, row.name) && row.json(asked) != row.json(trace.parameters)) {
            const ParameterOption& option = *option_for(parameter);
            throw Error("{} contradicts the weights, with which {} is {}.",
                        option.type.empty() ? std::string(option.name)
                                            : std::string(option.name) + " " + printable(text),
                        row.name, row.json(trace.parameters));
        }
    }
}

// With tokens of one's own, a batch is one sequence unless more are asked for.
Parameters parameters_to_walk(const Stage& stage, const Options& options) {
    Parameters parameters = parameters_of(stage, options);
    if (options.input && uses(stage, "lesson") &&
        std::ranges::find(options.parameters, "batch", &Given::parameter) == options.parameters.end()) {
        parameters.batch = 1;
    }
    return parameters;
}

}  // namespace

Trace read_inputs(const Options& options) {
    Trace trace{options.input ? load_lesson(*options.input) : built_in_lesson(), {}};
    if (options.weights) {
        Weights weights = load_weights(*options.weights);
        weights.select({options.layer, options.head, given_heads(options)});
        trace.weights = std::make_shared<Weights>(std::move(weights));
    }
    if (options.focus) {
        trace.focus = focus_of(trace.lesson, *options.focus);
    }
    return trace;
}

Trace make_trace(const Options& options) {
    Trace trace = read_inputs(options);
    const auto numbers = std::make_shared<SetNumbers>(options.set);
    if (!options.set.empty()) {
        trace.setter = [numbers, set = numbers->setter()](Var named) { set(named); };  // keeps them alive
    }
    Progress progress;
    for (const Stage* stage : options.stages) {
        progress.report(stage->name);
        const Inputs inputs{
            trace.focus, uses(*stage, "weights") ? trace.weights.get() : nullptr,
            [&](std::string_view step) { progress.report(fmt::format("{} · {}", stage->name, step)); },
            trace.setter};
        try {
            trace.stages.push_back(walk(*stage, trace.lesson, parameters_to_walk(*stage, options), inputs));
            require_agreement(options, trace.stages.back());
            trace.stages.back().language = options.code.value_or(stage->language);
        } catch (const Error& error) {
            if (options.stages.size() > 1) {
                throw Error("{}: {}", stage->name, error.message());
            }
            throw;
        }
    }
    numbers->require_all_used(trace.stages);
    if (!options.steps.empty()) {
        select_steps(options.steps, trace);
    }
    return trace;
}

}  // namespace attn
