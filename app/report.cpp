#include "report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/json_writer.hpp"
#include "io/lesson_reader.hpp"
#include "io/resources.hpp"
#include "io/sink.hpp"
#include "io/source.hpp"
#include "io/weights_reader.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "text/suggest.hpp"
#include "views/comparison.hpp"
#include "views/step_text.hpp"
#include "views/trace_json.hpp"
#include "walkthrough/focus.hpp"

namespace attn {

namespace {

constexpr std::string_view built_in_lesson = "journey.json";

Lesson load_lesson(const Options& options) {
    if (!options.input) {
        return read_lesson(resource(built_in_lesson), built_in_lesson);
    }
    return read_lesson(read_source(*options.input), source_name(*options.input));
}

// find_focus with, for a token that is not there, the nearest one that is.
std::size_t focus_of(const Lesson& lesson, const std::string& wanted) {
    try {
        return find_focus(lesson, wanted);
    } catch (const Error& error) {
        const std::vector<std::string_view> tokens(lesson.tokens.begin(), lesson.tokens.end());
        const bool repeated = std::ranges::find(tokens, wanted) != tokens.end();
        throw Error(error.what() + (repeated ? "" : did_you_mean(wanted, tokens)));
    }
}

// Leaves of each stage only the steps asked for; each must be one of some stage.
void select_steps(const std::vector<std::string>& wanted, Trace& trace) {
    std::vector<std::string_view> names;
    for (StageTrace& stage : trace.stages) {
        for (std::size_t position = 0; position < stage.steps.size(); ++position) {
            if (std::ranges::find(names, stage.step(position).name) == names.end()) {
                names.push_back(stage.step(position).name);
            }
        }
        std::erase_if(stage.shown, [&](std::size_t position) {
            return std::ranges::find(wanted, stage.step(position).name) == wanted.end();
        });
    }
    for (const std::string& name : wanted) {
        if (std::ranges::find(names, name) == names.end()) {
            throw Error(fmt::format("--step: the chosen stages have no step {}.{} Their steps are: {}.",
                                    in_quotes(name), did_you_mean(name, names), fmt::join(names, ", ")));
        }
    }
    std::erase_if(trace.stages, [](const StageTrace& stage) { return stage.shown.empty(); });
}

// What the weights say about widths and heads, the command line may repeat but not contradict.
void require_agreement(const Options& options, const StageTrace& trace) {
    Parameters asked = trace.parameters;
    for (const auto& [row, text] : options.parameters) {
        row->read(asked, text);
        if (uses(*trace.stage, row->option) && row->json(asked) != row->json(trace.parameters)) {
            throw Error(fmt::format("--{}{}{} contradicts the weights, with which {} is {}.", row->option,
                                    row->value.empty() ? "" : " ", row->value.empty() ? "" : printable(text),
                                    row->name, row->json(trace.parameters)));
        }
    }
}

// With --stage all each table is compared at its own parameters, so that others would go unheeded.
void refuse_parameters(const Options& options) {
    const std::string_view given = !options.parameters.empty() ? options.parameters.front().row->option
                                   : options.focus             ? "focus"
                                                               : "";
    if (!given.empty()) {
        throw Error(fmt::format(
            "--compare: with --stage all each table is compared at the parameters it was printed with; "
            "leave --{} out.",
            given));
    }
}

Report compare_with_documents(const Options& options, const Trace& trace) {
    const Lesson printed_lesson = read_lesson(resource(built_in_lesson), built_in_lesson);
    if (options.weights || !identical(trace.lesson.embeddings, printed_lesson.embeddings)) {
        throw Error(
            "--compare: the documents print tables of the built-in sentence and seeded weights only; leave "
            "--input "
            "and --weights out.");
    }
    if (options.all_stages) {
        refuse_parameters(options);
    }
    const std::vector<Reference> references = read_references();
    std::vector<Comparison> comparisons;
    std::string elsewhere;
    for (const StageTrace& stage : trace.stages) {
        std::ranges::move(options.all_stages ? compare_each(stage, trace.lesson, references)
                                             : compare_stage(stage, references),
                          std::back_inserter(comparisons));
        elsewhere += options.all_stages ? "" : printed_elsewhere(stage, references);
    }
    const std::string hint =
        elsewhere.empty() ? "" : "With other parameters the documents print:\n" + elsewhere;
    if (comparisons.empty()) {
        throw Error(elsewhere.empty() ? "--compare: the documents print no table of these steps."
                                      : "--compare: no printed table has these parameters. " + hint);
    }
    const bool asked_for_others = !options.parameters.empty() && !hint.empty();
    return {comparison_text(comparisons) + (asked_for_others ? "\n" + hint : ""),
            std::ranges::all_of(comparisons, [](const Comparison& one) { return one.agreement.agrees(); })};
}

}  // namespace

Trace make_trace(const Options& options) {
    Trace trace{load_lesson(options), {}};
    std::optional<Weights> weights;
    if (options.weights) {
        weights = read_weights(read_source(*options.weights), source_name(*options.weights));
    }
    const std::optional<std::size_t> focus =
        options.focus ? std::optional(focus_of(trace.lesson, *options.focus)) : std::nullopt;
    for (const Stage* stage : options.stages) {
        const Brought brought{focus, weights && uses(*stage, "weights") ? &*weights : nullptr};
        try {
            trace.stages.push_back(walk(*stage, trace.lesson, parameters_of(*stage, options), brought));
            require_agreement(options, trace.stages.back());
        } catch (const Error& error) {
            const bool several = options.stages.size() > 1;
            throw Error(several ? fmt::format("{}: {}", stage->name, error.what()) : error.what());
        }
    }
    if (!options.steps.empty()) {
        select_steps(options.steps, trace);
    }
    return trace;
}

Report make_report(const Options& options, const Trace& trace) {
    Report report;
    if (options.compare) {
        report = compare_with_documents(options, trace);
    }
    if (options.json == "-") {
        report.text.clear();  // standard output holds the JSON alone; the exit code still tells
    }
    if (options.compare || options.json == "-") {
        return report;
    }
    for (const StageTrace& stage : trace.stages) {
        report.text += report.text.empty() ? "" : "\n";
        report.text += options.quiet
                           ? tensors_text(stage, options.print)
                           : stage_text(stage, trace.lesson,
                                        read_narration(options.language, stage.stage->name), options.print);
    }
    return report;
}

void write_json(const Options& options, const Trace& trace) {
    for (const auto& input : {options.input, options.weights}) {
        if (input) {
            refuse_to_overwrite(*input, *options.json);
        }
    }
    Sink sink(*options.json);
    JsonWriter json([&](std::string_view text) { sink.write(text); });
    write_trace(json, trace, options.language, options.print);
    sink.commit();
}

}  // namespace attn
