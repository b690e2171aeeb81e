// Compares a run with the documents' printed tables.
#include "views/comparison/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "answers/compare_stages.hpp"
#include "answers/diagnose.hpp"
#include "answers/file_use.hpp"
#include "answers/only_tensor.hpp"
#include "commands/declare.hpp"
#include "commands/words.hpp"
#include "exports.hpp"
#include "files/source.hpp"
#include "files/system.hpp"
#include "make_trace.hpp"
#include "parameters.hpp"
#include "printed/loader.hpp"
#include "stages/shipped.hpp"
#include "tensor/error.hpp"
#include "terminal.hpp"
#include "text/decimal.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"
#include "views/document/document.hpp"
#include "views/explain/arithmetic_text.hpp"
#include "views/json/comparison_json.hpp"
#include "views/text/comparison_text.hpp"

namespace attn {

namespace {

struct CompareOptions : NumbersOptions {
    std::vector<std::string> steps;  // the compared steps; empty: all
    std::optional<double> atol;      // how far equal numbers may differ
};

// Throws Error if parameters are given without a stage. Each table then has the parameters with which it was
// printed.
void refuse_parameters(const CompareOptions& options) {
    if (!options.parameters.empty()) {
        throw Error("{}: this option has no effect without a stage; name one, or leave the option out.",
                    option_for(options.parameters.front().parameter)->name)
            .correcting("", "causal");
    }
}

// True if all given parameters have the values that they have without being given.
bool has_defaults(const CompareOptions& options, const Trace& trace) {
    return std::ranges::all_of(trace.stages, [&](const StageTrace& stage) {
        const Parameters usual = resolved(stage.stage->defaults, *stage.stage, trace.lesson);
        return std::ranges::all_of(options.parameters, [&](const Setting& given) {
            const ParameterRow& row = *find_parameter(given.parameter);
            return row.json(stage.parameters) == row.json(usual);
        });
    });
}

// Returns false if none of the compared tables depends on the given parameters.
bool depends_on_parameters(const CompareOptions& options, const Trace& trace,
                           const std::vector<Comparison>& comparisons) {
    return has_defaults(options, trace) || std::ranges::any_of(comparisons, [&](const Comparison& one) {
               return std::ranges::any_of(one.reference->parameters,
                                          [&](const ReferenceParameter& parameter) {
                                              return is_given(options, parameter.row->name);
                                          });
           });
}

constexpr double rounding = 1e-6;  // how far equal numbers differ without a tolerance

// True for a file, and for a word that is meant as one: its suffix is that of a file with numbers.
bool means_file(const std::string& word) {
    return word == "-" || is_file_or_pipe(word) ||
           has_suffix(word,
                      {".npy", ".npz", ".safetensors", ".pt", ".pth", ".txt", ".csv", ".json", ".ipynb"});
}

// The largest difference between numbers of two tensors, and its place.
struct Difference {
    double size = 0.0;
    std::size_t place = 0;
};

// Equal infinities do not differ.
Difference difference(const Tensor& given, const Tensor& computed) {
    Difference largest;
    for (std::size_t i = 0; i < given.count(); ++i) {
        const auto x = double(given.values()[i]);
        const auto y = double(computed.values()[i]);
        const bool is_same = x == y || (std::isnan(x) && std::isnan(y));
        const double size = is_same                ? 0.0
                            : std::isfinite(x - y) ? std::abs(x - y)
                                                   : std::numeric_limits<double>::infinity();
        largest = size > largest.size ? Difference{size, i} : largest;
    }
    return largest;
}

// True for equal shapes. A batch of one, (1, 5, 768), has the numbers of its only sequence, (5, 768).
bool have_equal_shapes(const Shape& given, const Shape& computed) {
    const auto without_ones = [](const Shape& shape) {
        return std::ranges::find_if(shape, [](std::size_t size) { return size != 1; });
    };
    return std::equal(without_ones(given), given.end(), without_ones(computed), computed.end());
}

// The tensor of a file, or of a step. `shown` has its text for steps.
struct Compared {
    std::string name;
    Tensor numbers;
    std::string shown = "";
};

// Returns the only tensor of a file, or the step with this name.
Compared compared(const std::string& word, const Trace& trace) {
    if (means_file(word)) {
        return {printable(word), only_tensor(word)};
    }
    for (const StageTrace& stage : trace.stages) {
        if (const std::optional<std::size_t> id = stage.find(word)) {
            const Node& node = stage.node(*id);
            return {node.name, node.value, node.name + " =\n" + printing(stage, *id, {}).answer + "\n"};
        }
    }
    fail_unknown(word, mapped(trace.stages, &StageTrace::stage));
}

// Compares two files, or two steps, with each other.
ExitCode compare_pair(CompareOptions& options, const std::vector<std::string>& words) {
    if (!options.atol && !means_file(words[0])) {
        const Stage* const stage = stage_with(words[0], options);
        take_stage_unless_given(options, stage == nullptr ? "causal" : stage->name);
    }
    if (means_file(words[0])) {
        refuse_other_options(options, in_quotes(words[0]), {"--atol"});
    }
    refuse_exports(options, in_quotes(words[0]));
    prepare(options);
    const Trace trace = make_trace(options);
    if (means_file(words[0]) && !(is_read(options, words[0]) && is_read(options, words[1]))) {
        return ExitCode::agrees;
    }
    const Compared first = compared(words[0], trace);
    const Compared second = compared(words[1], trace);
    const Words phrases(options.language, "program");
    const Shape& shape = second.numbers.shape();
    if (!have_equal_shapes(first.numbers.shape(), shape)) {
        show(options,
             first.shown + second.shown +
                 phrases("pair_shapes", first.name, first.numbers.shape().text(), second.name, shape.text()) +
                 "\n");
        return ExitCode::differs;
    }
    const auto [size, place] = difference(first.numbers, second.numbers);
    const bool agrees = size <= options.atol.value_or(rounding);
    const std::string_view verdict = size == 0      ? "pair_same"
                                     : !agrees      ? "pair_differs"
                                     : options.atol ? "pair_agrees"
                                                    : "pair_rounding";
    show(options, first.shown + second.shown +
                      paragraph(phrases(verdict, first.name, second.name, fmt::format("{:.1e}", size),
                                        index_text(second.numbers.index(place), shape.rank()))));
    return agrees ? ExitCode::agrees : ExitCode::differs;
}

// Returns the two files, or the two steps, that are words of the command line; otherwise nothing.
std::vector<std::string> pair_of_words(const CompareOptions& options) {
    CompareOptions copy = options;
    std::vector<std::string> words = take_stages(copy);
    if (words.size() != 2 || !options.steps.empty() || means_file(words[0]) != means_file(words[1])) {
        return {};
    }
    for (std::string& word : words) {
        word = means_file(word) || stage_with(word, copy) != nullptr ? word : usual_step(word, copy.stages);
    }
    return contains(words, "") ? std::vector<std::string>() : words;
}

// A step that is compared with a tensor, and the largest difference between their numbers.
struct NearestStep {
    std::string step;  // and its cell with this difference: causal keys[1][0]
    double difference;
};

// Returns the step that is nearest to a tensor, among those of its shape; nothing if there is none. An empty
// name allows all steps.
std::optional<NearestStep> nearest_step(const PrintedTensor& tensor, const Trace& trace,
                                        const std::string& name) {
    std::optional<NearestStep> nearest;
    for (const StageTrace& stage : trace.stages) {
        for (const std::size_t id : stage.steps) {
            const Node& node = stage.node(id);
            const Tensor& x = node.value;
            const bool is_asked = name.empty() || name == node.name;
            if (!is_asked || tensor.summarised() || !have_equal_shapes(tensor.shown, x.shape())) {
                continue;
            }
            const auto [size, place] = difference(numbers_of(tensor), x);
            if (!nearest || size < nearest->difference) {
                nearest = {fmt::format("{} {}{}", stage.stage->name, node.name,
                                       index_text(x.index(place), x.rank())),
                           size};
            }
        }
    }
    return nearest;
}

// Compares each tensor of a file with the step that is asked for, or else with the nearest one. If it differs
// from the step, names the step with which it agrees.
ExitCode compare_tensors(const CompareOptions& options, const Trace& trace) {
    const double most = options.atol.value_or(0.0);
    const PrintedText given = load_tensors(std::make_shared<const std::string>(read_source(options.data)),
                                           source_name(options.data));
    const Words phrases(options.language, "program");
    std::string text;
    bool all_agree = true;
    for (const PrintedTensor& tensor : given.tensors) {
        const std::optional<NearestStep> nearest = nearest_step(tensor, trace, options.as);
        const bool agrees = nearest && nearest->difference <= most;
        all_agree = all_agree && agrees;
        const std::string name = tensor.name.empty() ? tensor.place : printable(tensor.name);
        text += (name.empty() ? "" : name + ", ") + tensor.shown.text() + ": ";
        text += !nearest ? phrases("no_step_of_shape")
                         : phrases(agrees ? "within_atol" : "beyond_atol", nearest->step,
                                   fmt::format("{:.1e}", nearest->difference), fmt::format("{}", most));
        text += "\n";
        const std::optional<NearestStep> other =
            agrees || options.as.empty() ? std::nullopt : nearest_step(tensor, trace, "");
        if (other && other->difference <= most) {
            text += phrases("other_step", other->step, fmt::format("{:.1e}", other->difference)) + "\n";
        }
    }
    show(options, text);
    return all_agree ? ExitCode::agrees : ExitCode::differs;
}

// Compares the tensors of a file within the tolerance.
ExitCode compare_within(CompareOptions& options) {
    std::vector<std::string> files = take_stages(options);
    take_named_step(options, files);
    options.data = take_file(options, files);
    refuse_exports(options, in_quotes(options.data));
    take_stage_unless_given(options, "causal");
    prepare(options, options.data);
    const Trace trace = make_trace(options, options.steps);
    return is_read(options, options.data) ? compare_tensors(options, trace) : ExitCode::agrees;
}

// Compares a file by diagnosis, which also explains what differs. If numbers differ from the step that is
// asked for, says how far.
ExitCode compare_by_diagnosis(CompareOptions& options) {
    const ExitCode code = judge_files(options);
    const bool is_array = has_suffix(options.data, {".npy", ".npz"});
    if (code == ExitCode::differs && is_array && !options.as.empty() && !options.stages.empty() &&
        options.exports.empty() && !options.is_rehearsal) {
        options.atol = rounding;
        compare_tensors(options, make_trace(options, options.steps));
    }
    return code;
}

// Compares a run with the tables that the documents print.
ExitCode compare_with_documents(CompareOptions& options) {
    take_stage_unless_given(options, "all");
    prepare(options);
    if (options.all_stages) {
        refuse_parameters(options);
    }
    const Trace trace = make_trace(options, options.steps);
    const std::vector<Reference> references = read_references();
    std::vector<Comparison> comparisons;
    std::string elsewhere;
    for (const StageTrace& stage : trace.stages) {
        std::ranges::move(options.all_stages ? compare_each(stage, trace.lesson, references)
                                             : compare_stage(stage, references),
                          std::back_inserter(comparisons));
        elsewhere += options.all_stages ? "" : printed_elsewhere(stage, references, spelled, line_columns());
    }
    const Words phrases(options.language, "program");
    const std::string others = elsewhere.empty() ? "" : phrases("printed_elsewhere") + "\n" + elsewhere;
    if (comparisons.empty()) {
        if (elsewhere.empty()) {
            throw Error("the documents print no table of these steps.");
        }
        throw Error("the documents print no table with these parameters. {}", others);
    }
    const bool tells = depends_on_parameters(options, trace, comparisons);
    const std::string text =
        comparison_text(comparisons, phrases, line_columns()) +
        (tells ? "" : "\n" + paragraph(phrases("independent", spelled(options.parameters)))) +
        (others.empty() ? "" : "\n" + others);
    write_or_show(
        options, [&] { return comparisons_json(comparisons); }, text);
    const bool all_agree = tells && std::ranges::all_of(comparisons, &Comparison::agrees);
    return all_agree ? ExitCode::agrees : ExitCode::differs;
}

// Throws Error for an option about the reader's numbers, if no file has them.
void require_file(const CompareOptions& options) {
    const std::string_view of_file = options.atol          ? "--atol"
                                     : !options.as.empty() ? "--as"
                                     : options.input       ? "--input"
                                     : options.text        ? "--text"
                                     : options.weights     ? "--weights"
                                     : options.focus       ? "--focus"
                                                           : "";
    if (!of_file.empty()) {
        throw Error(
            "{}: name a file with your numbers, as in attn-walkthrough compare causal "
            "mine.npy --atol 1e-5.",
            of_file)
            .correcting(of_file, "");
    }
}

ExitCode run_compare(CompareOptions& options) {
    if (const std::vector<std::string> pair = pair_of_words(options); !pair.empty()) {
        take_stages(options);
        return compare_pair(options, pair);
    }
    if (std::ranges::any_of(options.words, means_file)) {
        if (options.as.empty() && options.steps.size() == 1) {
            options.as = options.steps.front();
            options.steps.clear();
        }
        return options.atol ? compare_within(options) : compare_by_diagnosis(options);
    }
    require_file(options);
    take_stages_and_steps(options, options.steps);
    if (options.stages.size() == 2 && options.steps.empty()) {
        return compare_two_stages(options);
    }
    return compare_with_documents(options);
}

void declare_compare(Declaration& declared, CompareOptions& options) {
    add_steps(declared, options.steps);
    declared.add({.name = "--as",
                  .names = Names::step,
                  .help = "Step to compare the numbers of a file with",
                  .target = &options.as});
    add_run(declared, options,
            {"--seed", "--d-out", "--heads", "--dropout", "--qkv-bias", "--dropout-seed", "--dropout-rng"});
    declared.add({.name = "--atol",
                  .type = "X",
                  .help = "Compare a file with the nearest step; numbers may differ by at most X",
                  .target = [&options](const std::string& text) {
                      double most = -1;
                      if (read_double(text, most) != text.size() || !(most >= 0)) {
                          throw Error("{}: expected a number such as 1e-5 but received {}.", "--atol",
                                      in_quotes(text));
                      }
                      options.atol = most;
                  }});
    declared.begin_group(rare);
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
                     {"attn-walkthrough compare causal keys mine.npy --atol 1e-5",
                      "your numbers with a step"}},
        .declare = declaring(run_compare, declare_compare),
    };
}

}  // namespace attn
