#include "report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/json_writer.hpp"
#include "io/lesson_reader.hpp"
#include "io/printable.hpp"
#include "io/resources.hpp"
#include "io/sink.hpp"
#include "io/source.hpp"
#include "io/suggest.hpp"
#include "tensor/error.hpp"
#include "views/comparison.hpp"
#include "views/step_text.hpp"
#include "views/trace_json.hpp"

namespace attn {

namespace {

constexpr std::string_view built_in_lesson = "journey.json";

Lesson load_lesson(const Options& options) {
    if (!options.input) {
        return read_lesson(resource(built_in_lesson), built_in_lesson);
    }
    return read_lesson(read_source(*options.input), source_name(*options.input));
}

// Leaves of each stage only the steps asked for; each must be one of some stage.
void select_steps(const std::vector<std::string>& wanted, Trace& trace) {
    std::vector<std::string_view> names;
    for (StageTrace& stage : trace.stages) {
        for (std::size_t position = 0; position < stage.steps.size(); ++position) {
            names.push_back(stage.step(position).name);
        }
        std::erase_if(stage.shown, [&](std::size_t position) {
            return std::ranges::find(wanted, stage.step(position).name) == wanted.end();
        });
    }
    for (const std::string& name : wanted) {
        if (std::ranges::find(names, name) == names.end()) {
            throw Error(fmt::format("--step: the chosen stage has no step {}.{} Its steps are: {}.",
                                    in_quotes(name), did_you_mean(name, names), fmt::join(names, ", ")));
        }
    }
    std::erase_if(trace.stages, [](const StageTrace& stage) { return stage.shown.empty(); });
}

Report compare_with_documents(const Options& options, const Trace& trace) {
    const Lesson printed_lesson = read_lesson(resource(built_in_lesson), built_in_lesson);
    if (!identical(trace.lesson.embeddings, printed_lesson.embeddings)) {
        throw Error(
            "--compare: the documents print tables of the built-in sentence only; leave --input out.");
    }
    const std::vector<Reference> references = read_references();
    std::vector<Comparison> comparisons;
    std::string printed;
    for (const StageTrace& stage : trace.stages) {
        std::ranges::move(options.all_stages ? compare_each(*stage.stage, trace.lesson, references)
                                             : compare_stage(stage, references),
                          std::back_inserter(comparisons));
        printed += printed_parameters(*stage.stage, references);
    }
    if (comparisons.empty()) {
        throw Error(printed.empty()
                        ? "--compare: the documents print no table of this."
                        : "--compare: no printed table has these parameters. There are tables for:\n" +
                              printed);
    }
    return {comparison_text(comparisons),
            std::ranges::all_of(comparisons, [](const Comparison& one) { return one.agreement.agrees(); })};
}

}  // namespace

Trace make_trace(const Options& options) {
    Trace trace{load_lesson(options), {}};
    for (const Stage* stage : options.stages) {
        trace.stages.push_back(walk(*stage, trace.lesson, parameters_of(*stage, options)));
    }
    if (!options.steps.empty()) {
        select_steps(options.steps, trace);
    }
    return trace;
}

Report make_report(const Options& options, const Trace& trace) {
    if (options.compare) {
        return compare_with_documents(options, trace);
    }
    Report report;
    if (options.json == "-") {
        return report;
    }
    for (const StageTrace& stage : trace.stages) {
        report.text += report.text.empty() ? "" : "\n";
        report.text += options.quiet ? tensors_text(stage, options.print)
                                     : stage_text(stage, read_narration(options.language, stage.stage->name),
                                                  options.print);
    }
    return report;
}

void write_json(const Options& options, const Trace& trace) {
    if (options.input) {
        refuse_to_overwrite(*options.input, *options.json);
    }
    Sink sink(*options.json);
    JsonWriter json([&](std::string_view text) { sink.write(text); });
    write_trace(json, trace, options.language, options.print);
    sink.commit();
}

}  // namespace attn
