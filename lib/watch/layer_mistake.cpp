#include "watch/layer_mistake.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "diagnosis/diagnosis.hpp"
#include "printed/number.hpp"
#include "stages/state_dict.hpp"
#include "tensor/error.hpp"
#include "watch/layer_walks.hpp"
#include "watch/recorded_ops.hpp"

namespace attn {

namespace {

// Returns the result of the departing call for the first sequence. Its numbers are exact.
std::optional<PrintedTensor> departing_result(const Recording& recording, const AlignedLayer& layer,
                                              std::size_t batch) {
    const RecordedTensor& result = recording.tensors[recording.calls[*layer.departs].results[0]];
    std::vector<std::size_t> sizes = result.shape;
    if (batch > 1 && !sizes.empty() && sizes[0] == batch) {
        sizes[0] = 1;
    }
    std::erase(sizes, std::size_t{1});
    std::size_t count = 1;
    for (const std::size_t size : sizes) {
        count *= size;
    }
    if (!result.has_numbers || sizes.empty() || sizes.size() > Shape::max_read_rank ||
        count > result.numbers.size()) {
        return std::nullopt;
    }
    PrintedTensor pasted;
    pasted.shown = Shape(sizes);
    for (std::size_t i = 0; i < count; ++i) {
        pasted.numbers.push_back(exact_number(static_cast<double>(result.numbers[i])));
    }
    return pasted;
}

}  // namespace

std::string mistake_of(const Recording& recording, const AlignedLayer& layer) {
    const bool is_in_eval = layer.departs && recording.calls[*layer.departs].is_eval;
    if (is_in_eval && (recording.calls[*layer.departs].op == "dropout" ||
                       recording.calls[*layer.departs].number("dropout_p", 0.0) > 0.0)) {
        return "dropout-in-eval";
    }
    if (!layer.departs || layer.stage == nullptr || layer.weights.empty() || layer.is_sequence_first ||
        layer.stage->name == "grouped-query") {
        return "";
    }
    const RecordedTensor& x = recording.tensors[layer.inputs];
    const std::size_t n = x.size(-2), d_in = x.size(-1);
    const std::optional<PrintedTensor> pasted =
        departing_result(recording, layer, x.shape.size() == 3 ? x.shape[0] : 1);
    if (!pasted) {
        return "";
    }
    Lesson lesson{.tokens = {}, .embeddings = Tensor(Shape{n, d_in}), .is_own = true};
    std::copy_n(x.numbers.begin(), n * d_in, lesson.embeddings.values().begin());
    for (std::size_t token = 0; token < n; ++token) {
        lesson.tokens.push_back(std::to_string(token));
    }
    TensorMap weights;
    for (const WeightPlace& place : layer.weights) {
        weights.emplace(place.name, part_of_weight(recording.tensors[place.tensor], place.from, place.to,
                                                   place.is_transposed));
    }
    Inputs inputs{.focus = 0};
    inputs.weights = [&](const Stage&) {
        StateDict own{std::make_shared<TensorFile>("recording", weights)};
        own.num_heads = layer.parameters.num_heads;
        return own;
    };
    try {
        const Question question{lesson,           inputs, {{layer.stage, layer.parameters}},
                                layer.right_step, false,  true};
        const std::vector<Diagnosis> found = diagnose({*pasted}, question);
        const bool one = !found[0].matches.empty() && found[0].matches[0].mistakes.size() == 1;
        const std::string mistake = one ? std::string(found[0].matches[0].mistakes[0]) : "";
        const bool is_known = !is_one_of(mistake, {"other-step", "batch-stacked-on-tokens"});
        return is_known ? mistake : "";  // a recording has no labels, and one of its sequences was asked for
    } catch (const Error&) {             // the stage has parts that the code has not
        return "";
    }
}

}  // namespace attn
