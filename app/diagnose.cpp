// --diagnose: what the pasted tensors are, or which mistake made them.
#include <algorithm>

#include "diagnosis/diagnosis_json.hpp"
#include "diagnosis/diagnosis_text.hpp"
#include "exports.hpp"
#include "files/sink.hpp"
#include "make_trace.hpp"
#include "option_table.hpp"
#include "printed/loader.hpp"
#include "progress.hpp"
#include "stages/catalogue.hpp"
#include "tasks.hpp"
#include "tensor/error.hpp"
#include "text/prose.hpp"

namespace attn {

namespace {

// Whether these are weights of the stage.
bool takes_weights(const Stage& stage, const Options& options, const Trace& data) {
    try {
        walk(stage, data.lesson, parameters_of(stage, options), {data.focus, &*data.weights});
    } catch (const Error&) {
        return false;
    }
    return uses(stage, "weights");
}

// Whether a tensor is named as gradients are: keys.grad, or keys_grad.
bool names_gradient(const PrintedText& pasted) {
    return std::ranges::any_of(pasted.tensors,
                               [](const PrintedTensor& tensor) { return tensor.name.ends_with("grad"); });
}

std::vector<Candidate> candidates(const Options& options, const Trace& data, bool goes_back) {
    std::vector<std::string_view> given;
    for (const Given& one : options.parameters) {
        given.push_back(setting_name(*one.option));
    }
    std::vector<const Stage*> stages = options.stages;
    if (stages.empty()) {
        stages.assign(catalogue().begin(), catalogue().end());
    }
    if (options.stages.empty() && data.weights) {  // without a stage named, those whose weights they are
        std::erase_if(stages, [&](const Stage* stage) { return !takes_weights(*stage, options, data); });
        if (stages.empty()) {
            throw Error("--weights: these are of no stage; name one to be told what it needs.");
        }
    }
    std::vector<Candidate> found;
    for (const Stage* stage : stages) {
        Parameters parameters = parameters_of(*stage, options);
        parameters.backward = parameters.backward || (goes_back && uses(*stage, "backward"));
        found.push_back({stage, parameters, given, !options.stages.empty()});
    }
    return found;
}

}  // namespace

bool diagnose(const Options& options) {
    const PrintedText pasted = load_tensors(*options.pasted, options.max_input_bytes);
    const Trace data = read_inputs(options);
    Progress progress;
    const Question question{data.lesson,
                            {.focus = data.focus, .weights = data.weights.get(), .short_masks = true},
                            candidates(options, data, names_gradient(pasted)),
                            options.as,
                            options.search_seeds,
                            [&](std::string_view stage) { progress.report(stage); }};
    const std::vector<Diagnosis> diagnoses = diagnose(pasted.tensors, question);
    write_exports(
        options, [&](JsonWriter& json) { write_diagnoses(json, pasted, diagnoses, options.style.language); });
    if (!exports_to_standard_output(options)) {
        Words phrases(options.style.language, "diagnosis");
        phrases.add("program");
        std::string text = diagnosis_text(pasted, diagnoses, question, phrases, spelled);
        const bool unexplained = std::ranges::any_of(
            diagnoses, [](const Diagnosis& one) { return one.matches.empty() && one.inherits.empty(); });
        if (unexplained && !options.search_seeds) {
            text += wrapped(phrases("longer_search", last_searched_seed));
        }
        write_standard_output(text);
    }
    return all_right(diagnoses) && !pasted.leaves_out;
}

}  // namespace attn
