// The numbers beside the documents' printed tables.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "exports.hpp"
#include "make_trace.hpp"
#include "option_table.hpp"
#include "printed/comparison.hpp"
#include "stages/shipped.hpp"
#include "tasks.hpp"
#include "tensor/error.hpp"
#include "terminal.hpp"
#include "text/prose.hpp"
#include "views/json/comparison_json.hpp"
#include "views/text/comparison_text.hpp"

namespace attn {

namespace {

// With --stage all each table is compared at its own parameters, so that others would go unheeded.
void refuse_parameters(const Options& options) {
    const std::string_view given = !options.parameters.empty() ? options.parameters.front().option->name
                                   : options.focus             ? "focus"
                                                               : "";
    if (!given.empty()) {
        throw Error(fmt::format(
            "--compare: with --stage all each table is compared at the parameters it was printed with; "
            "leave --{} out.",
            given));
    }
}

// Whether a table was compared that the parameters given change; with none given all count.
bool depends_on_parameters(const Options& options, const std::vector<Comparison>& comparisons) {
    const auto is_given = [&](const ReferenceParameter& parameter) {
        return std::ranges::any_of(options.parameters, [&](const Given& given) {
            return setting_name(*given.option) == parameter.row->name;
        });
    };
    return options.parameters.empty() || std::ranges::any_of(comparisons, [&](const Comparison& one) {
               return std::ranges::any_of(one.reference->parameters, is_given);
           });
}

}  // namespace

bool compare(const Options& options) {
    const Trace trace = make_trace(options);
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
        elsewhere += options.all_stages ? "" : printed_elsewhere(stage, references, spelled, line_columns());
    }
    const auto hint = [&](std::string_view language) {
        return elsewhere.empty() ? "" : Words(language, "program")("printed_elsewhere") + "\n" + elsewhere;
    };
    if (comparisons.empty()) {
        throw Error(elsewhere.empty() ? "--compare: the documents print no table of these steps."
                                      : "--compare: no printed table has these parameters. " + hint("en"));
    }
    write_exports(options, [&](JsonWriter& json) { write_comparisons(json, comparisons); });
    const bool tells = depends_on_parameters(options, comparisons);
    if (!exports_to_standard_output(options)) {
        const Words phrases(options.style.language, "program");
        std::string text = comparison_text(comparisons, phrases, line_columns());
        if (!tells) {
            text += "\n" + wrapped(phrases("independent", given_parameters(options)), text_columns());
        }
        const std::string others = hint(options.style.language);
        show(options, text + (others.empty() ? "" : "\n" + others));
    }
    return tells && std::ranges::all_of(comparisons, [](const Comparison& one) { return one.agrees(); });
}

}  // namespace attn
