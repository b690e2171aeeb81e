// Compares a run with the documents' printed tables.
#include "printed/comparison.hpp"

#include <algorithm>
#include <iterator>

#include "commands/declare.hpp"
#include "commands/words.hpp"
#include "exports.hpp"
#include "files/system.hpp"
#include "make_trace.hpp"
#include "parameters.hpp"
#include "stages/shipped.hpp"
#include "tensor/error.hpp"
#include "terminal.hpp"
#include "text/prose.hpp"
#include "views/json/comparison_json.hpp"
#include "views/text/comparison_text.hpp"

namespace attn {

namespace {

// Throws Error if parameters are given without a stage. Each table then has the parameters with which it was
// printed.
void refuse_parameters(const Options& options) {
    if (!options.parameters.empty()) {
        throw Error(
            "{}: this option has no effect without a stage, because each table is compared with its own "
            "parameters; name a stage, or leave the option out.",
            option_for(options.parameters.front().parameter)->name);
    }
}

// Returns false if none of the compared tables depends on the given parameters.
bool depends_on_parameters(const Options& options, const std::vector<Comparison>& comparisons) {
    return options.parameters.empty() || std::ranges::any_of(comparisons, [&](const Comparison& one) {
               return std::ranges::any_of(one.reference->parameters,
                                          [&](const ReferenceParameter& parameter) {
                                              return is_given(options, parameter.row->name);
                                          });
           });
}

ExitCode run_compare(Options& options) {
    // A file is compared with the stages by the diagnosis, which then also explains what differs.
    if (std::ranges::any_of(options.words, [](const std::string& word) {
            return word == "-" || kind_of(word) == FileKind::file;
        })) {
        return find_command("diagnose")->run(options);
    }
    take_stages_and_steps(options);
    take_stage_unless_given(options, "all");
    prepare(options);
    if (options.all_stages) {
        refuse_parameters(options);
    }
    const Trace trace = make_trace(options);
    const std::vector<Reference> references = read_references();
    std::vector<Comparison> comparisons;
    std::string elsewhere;
    for (const StageTrace& stage : trace.stages) {
        std::ranges::move(options.all_stages ? compare_each(stage, trace.lesson, references)
                                             : compare_stage(stage, references),
                          std::back_inserter(comparisons));
        elsewhere += options.all_stages ? "" : printed_elsewhere(stage, references, spelled, line_columns());
    }
    const Words phrases(options.style.language, "program");
    const std::string others = elsewhere.empty() ? "" : phrases("printed_elsewhere") + "\n" + elsewhere;
    if (comparisons.empty()) {
        if (elsewhere.empty()) {
            throw Error("the documents print no table of these steps.");
        }
        throw Error("the documents print no table with these parameters. {}", others);
    }
    write_exports(options, [&] { return comparisons_json(comparisons); });
    const bool tells = depends_on_parameters(options, comparisons);
    if (!exports_to_standard_output(options)) {
        std::string text = comparison_text(comparisons, phrases, line_columns());
        if (!tells) {
            text += "\n" + wrapped(phrases("independent", spelled(options.parameters)), text_columns());
        }
        show(options, text + (others.empty() ? "" : "\n" + others));
    }
    const bool all_agree =
        tells && std::ranges::all_of(comparisons, [](const Comparison& one) { return one.agrees(); });
    return all_agree ? ExitCode::agrees : ExitCode::differs;
}

void declare_compare(Declaration& declared, Options& options) {
    add_steps(declared, options);
    add_parameters(
        declared, options,
        {"--seed", "--d-out", "--heads", "--dropout", "--qkv-bias", "--dropout-seed", "--dropout-rng"});
    add_json(declared, options, "The comparison, as JSON");
    add_general(declared, options);
}

}  // namespace

Command compare_command() {
    return {
        .name = "compare",
        .summary = "Compare a run with the documents' printed tables, digit by digit.",
        .words = "[STAGE…] [FILE|-]",
        .examples = {{"attn-walkthrough compare", "every printed table"},
                     {"attn-walkthrough compare causal --seed 123", "only the tables with this seed"},
                     {"attn-walkthrough compare causal --step masked", "only the tables of one step"}},
        .run = run_compare,
        .declare = declare_compare,
    };
}

}  // namespace attn
