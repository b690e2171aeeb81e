// The diagnose command: identifies a pasted tensor, or the mistake that produced it.
#include <algorithm>
#include <ctime>
#include <iterator>
#include <memory>

#include "commands/declare.hpp"
#include "commands/words.hpp"
#include "diagnosis/diagnosis_json.hpp"
#include "diagnosis/diagnosis_text.hpp"
#include "exports.hpp"
#include "files/sink.hpp"
#include "make_trace.hpp"
#include "parameters.hpp"
#include "printed/loader.hpp"
#include "stages/catalogue.hpp"
#include "tensor/error.hpp"
#include "text/prose.hpp"

namespace attn {

namespace {

// True if the stage accepts these weights.
bool takes_weights(const Stage& stage, const Options& options, const Trace& data) {
    try {
        walk(stage, data.lesson, parameters_of(stage, options), {data.focus, data.weights});
    } catch (const Error&) {
        return false;
    }
    return uses(stage, "weights");
}

// Returns true if a tensor has the name of a gradient: keys.grad or keys_grad.
bool names_gradient(const PrintedText& pasted) {
    return std::ranges::any_of(pasted.tensors,
                               [](const PrintedTensor& tensor) { return tensor.name.ends_with("grad"); });
}

bool is_chosen(const Stage* stage, const Options& options) {
    return std::ranges::find(options.stages, stage) != options.stages.end();
}

std::vector<Candidate> candidates(std::vector<const Stage*> stages, const Options& options, const Trace& data,
                                  bool with_gradients) {
    std::vector<std::string_view> given;
    for (const Setting& one : options.parameters) {
        given.push_back(one.parameter);
    }
    // Without a stage, the stages that accept the weights are used.
    if (options.stages.empty() && data.weights) {
        std::erase_if(stages, [&](const Stage* stage) { return !takes_weights(*stage, options, data); });
        if (stages.empty()) {
            throw Error("--weights: these weights match no stage; name a stage to see what it needs.");
        }
    }
    std::vector<Candidate> found;
    for (const Stage* stage : stages) {
        Parameters parameters = parameters_of(*stage, options);
        parameters.backward = parameters.backward || (with_gradients && uses(*stage, "backward"));
        found.push_back({stage, parameters, given, is_chosen(stage, options)});
    }
    return found;
}

bool is_unexplained(const Diagnosis& one) {
    return one.matches.empty() && one.inherits.empty();
}

// Readers sometimes name the wrong stage. Searches the other stages for tensors that the chosen ones do not
// explain.
void search_elsewhere(std::vector<Diagnosis>& diagnoses, const PrintedText& pasted, const Question& other) {
    std::vector<PrintedTensor> unexplained;
    for (std::size_t i = 0; i < diagnoses.size(); ++i) {
        if (is_unexplained(diagnoses[i])) {
            unexplained.push_back(pasted.tensors[i]);
        }
    }
    auto found = diagnose(unexplained, other);
    for (auto next = found.begin(); Diagnosis & one : diagnoses) {
        if (is_unexplained(one) && !(next++)->matches.empty()) {
            one = std::move(*std::prev(next));
            one.is_elsewhere = true;
        }
    }
}

ExitCode run_diagnose(Options& options) {
    options.data = take_file(options, take_stages(options));
    prepare(options);
    const PrintedText pasted = load_tensors(*options.data);
    const Trace data = read_inputs(options);
    // A variable, because gcc 12 destroys temporaries in nested braces twice if a later member throws.
    const Inputs inputs{.focus = data.focus, .weights = data.weights, .short_masks = true};
    std::vector<const Stage*> others;  // the stages that were not chosen
    std::ranges::copy_if(catalogue(), std::back_inserter(others),
                         [&](const Stage* stage) { return !is_chosen(stage, options); });
    const std::clock_t begin = std::clock();
    Question question{data.lesson, inputs, {}, options.as, options.all_seeds, ATTN_SEARCH_SECONDS};
    const bool with_gradients = names_gradient(pasted);
    question.candidates =
        candidates(options.stages.empty() ? others : options.stages, options, data, with_gradients);
    std::vector<Diagnosis> diagnoses = diagnose(pasted.tensors, question);
    const double left = ATTN_SEARCH_SECONDS - static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    if (!options.stages.empty() && options.as.empty() && !data.weights && left > 0.0 &&
        std::ranges::any_of(diagnoses, is_unexplained)) {
        const std::vector<Candidate> elsewhere = candidates(others, options, data, with_gradients);
        search_elsewhere(diagnoses, pasted, {data.lesson, inputs, elsewhere, "", false, left, true});
    }
    write_exports(options, [&] { return diagnoses_json(pasted, diagnoses, options.style.language); });
    if (!exports_to_standard_output(options)) {
        Words phrases(options.style.language, "diagnosis");
        phrases.add("program");
        std::string text = diagnosis_text(pasted, diagnoses, question, phrases, spelled);
        if (std::ranges::any_of(diagnoses, is_unexplained) && !options.all_seeds) {
            text += wrapped(phrases("longer_search", last_searched_seed));
        }
        write_standard_output(text);
    }
    return all_right(diagnoses) && !pasted.leaves_out ? ExitCode::agrees : ExitCode::differs;
}

void declare_diagnose(Declaration& declared, Options& options) {
    declared.begin_group("Search");
    declared.add(
        {.name = "--as", .type = "STEP", .help = "Step to compare the numbers with", .target = &options.as});
    declared.add(
        {.name = "--search-seeds", .help = "Try every seed from 0 to 10000", .target = &options.all_seeds});
    add_parameters(declared, options,
                   {"--seed", "--d-out", "--heads", "--dropout", "--qkv-bias", "--backward"});
    add_input(declared, options);
    add_json(declared, options, "The diagnosis, as JSON");
    add_general(declared, options);
}

}  // namespace

Command diagnose_command() {
    return {
        .name = "diagnose",
        .summary = "Identify a pasted tensor, or the mistake that produced it.",
        .words = "[STAGE…] FILE|-",
        .examples = {{"attn-walkthrough diagnose mine.txt", "a file with the output of print()"},
                     {"attn-walkthrough diagnose causal mine.npy --as keys",
                      "numbers that should be the keys"},
                     {"python mine.py | attn-walkthrough diagnose -", "the output of your own program"}},
        .run = run_diagnose,
        .declare = declare_diagnose,
    };
}

}  // namespace attn
