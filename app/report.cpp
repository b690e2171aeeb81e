#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "io/json_writer.hpp"
#include "io/sink.hpp"
#include "make_trace.hpp"
#include "tensor/error.hpp"
#include "views/comparison.hpp"
#include "views/step_text.hpp"
#include "views/trace_json.hpp"

namespace attn {

namespace {

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
    if (options.weights || !identical(trace.lesson.embeddings, built_in_lesson().embeddings)) {
        throw Error(
            "--compare: the documents print tables of the built-in sentence and seeded weights only; "
            "leave --input and --weights out.");
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
