#include "make_trace.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "option_table.hpp"
#include "progress.hpp"
#include "set_numbers.hpp"
#include "stages/focus.hpp"
#include "stages/lesson_reader.hpp"
#include "stages/shipped.hpp"
#include "tensor/error.hpp"
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
        throw Error(fmt::format("--focus: {}{}", error.what(),
                                repeated ? "" : did_you_mean(wanted, tokens).english()));
    }
}

// Leaves of each stage only the steps asked for; each must be one of some stage.
void select_steps(const std::vector<std::string>& wanted, Trace& trace) {
    std::vector<std::string_view> names;
    for (StageTrace& stage : trace.stages) {
        for (const std::size_t step : stage.steps) {
            if (std::ranges::find(names, stage.node(step).name) == names.end()) {
                names.push_back(stage.node(step).name);
            }
        }
        stage.show_only(wanted);
    }
    for (const std::string& name : wanted) {
        if (std::ranges::find(names, name) == names.end()) {
            throw Error(fmt::format("--step: the chosen stages have no step {}.{} Their steps are: {}.",
                                    in_quotes(name), did_you_mean(name, names).english(),
                                    fmt::join(names, ", ")));
        }
    }
    std::erase_if(trace.stages, [](const StageTrace& stage) { return stage.shown.empty(); });
}

std::optional<std::size_t> given_heads(const Options& options) {
    std::optional<std::size_t> heads;
    for (const auto& [option, text] : options.parameters) {
        Parameters parameters;
        const std::string_view name = setting_name(*option);
        if (name == "num_heads" && find_parameter(name)->read(parameters, text).empty()) {
            heads = parameters.num_heads;
        }
    }
    return heads;
}

// What the weights say about widths and heads, the command line may repeat but not contradict.
void require_agreement(const Options& options, const StageTrace& trace) {
    Parameters asked = trace.parameters;
    for (const auto& [option, text] : options.parameters) {
        const ParameterRow& row = *find_parameter(setting_name(*option));
        row.read(asked, text);
        if (uses(*trace.stage, row.name) && row.json(asked) != row.json(trace.parameters)) {
            throw Error(fmt::format("--{}{}{} contradicts the weights, with which {} is {}.", option->name,
                                    option->value.empty() ? "" : " ",
                                    option->value.empty() ? "" : printable(text), row.name,
                                    row.json(trace.parameters)));
        }
    }
}

// With tokens of one's own, a batch is one sequence unless more are asked for.
Parameters parameters_to_walk(const Stage& stage, const Options& options) {
    Parameters parameters = parameters_of(stage, options);
    const auto sets_batch = [](const Given& one) { return setting_name(*one.option) == "batch"; };
    if (options.input && uses(stage, "lesson") && std::ranges::none_of(options.parameters, sets_batch)) {
        parameters.batch = 1;
    }
    return parameters;
}

}  // namespace

Trace read_inputs(const Options& options) {
    Trace trace{options.input ? load_lesson(*options.input, options.max_input_bytes) : built_in_lesson(), {}};
    if (options.weights) {
        Weights weights = load_weights(*options.weights, options.max_input_bytes);
        weights.select({options.layer, options.head, given_heads(options)});
        trace.weights = std::make_shared<Weights>(std::move(weights));
    }
    if (options.focus) {
        trace.focus = focus_of(trace.lesson, *options.focus);
    }
    return trace;
}

Trace make_trace(const Options& options) {
    if (options.stages.empty()) {
        throw Error("no stage chosen. Name one, such as causal, or see --list.");
    }
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
            const bool several = options.stages.size() > 1;
            throw Error(several ? fmt::format("{}: {}", stage->name, error.what()) : error.what());
        }
    }
    numbers->require_all_used(trace.stages);
    if (!options.steps.empty()) {
        select_steps(options.steps, trace);
    }
    return trace;
}

}  // namespace attn
