#include "watch/alignment_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/json_value.hpp"
#include "text/lists.hpp"
#include "text/printable.hpp"
#include "text/prose.hpp"
#include "watch/recorded_ops.hpp"

namespace attn {

namespace {

std::string_view verdict_name(CallVerdict verdict) {
    return verdict == CallVerdict::right     ? "right"
           : verdict == CallVerdict::detour  ? "detour"
           : verdict == CallVerdict::departs ? "departs"
                                             : "follows";
}

// Returns one line about the layer, such as `✗ line 4: softmax(dim=0); causal has dim=-1`.
std::string headline(const Recording& recording, const AlignedLayer& layer, const Words& words) {
    const std::string stage(layer.stage == nullptr ? std::string_view() : layer.stage->name);
    if (layer.departs) {
        const RecordedCall call = departing_call(recording, layer);
        const std::string key = layer.right.empty()   ? "departs"
                                : layer.yours.empty() ? "departs_missing"
                                                      : "departs_differs";
        return words(key, {{"line", std::to_string(call.line)},
                           {"op", printable(call.op)},
                           {"yours", printable(layer.yours)},
                           {"right", printable(layer.right)},
                           {"stage", stage.empty() ? words("chapter") : stage}});
    }
    if (layer.drops) {
        const RecordedCall& call = recording.calls[*layer.drops];
        return words("drops", {{"line", std::to_string(call.line)}, {"op", printable(call.op)}});
    }
    if (!layer.differs.empty()) {      // the code agrees up to these calls, or also after them
        std::vector<std::string> ops;  // each once
        for (const std::size_t at : layer.differs) {
            const std::string op = printable(recording.calls[at].op);
            ops.insert(ops.end(), contains(ops, op) ? 0 : 1, op);
        }
        return words(layer.is_right ? "right_otherwise" : "other_attention",
                     {{"line", std::to_string(recording.calls[layer.differs[0]].line)},
                      {"ops", joined(ops)},
                      {"stage", stage}});
    }
    const std::vector<std::size_t>& inputs = recording.tensors[layer.inputs].shape;
    const RecordedCall* const made = recording.maker(layer.inputs);
    const RecordedCall& whole = recording.calls[layer.first_call];
    const bool is_batch_first =  // the module exchanged the axes
        made != nullptr && made->op == "transpose" && made->line == whole.line && made->file == whole.file;
    const bool may_be_batch_first =  // a mask would have the size of the other axis
        layer.output.empty() && layer.is_sequence_first && !layer.is_masked && inputs.size() == 3 &&
        !is_batch_first && !layer.memory;
    const bool has_weights = std::ranges::any_of(layer.calls, [&](const AlignedCall& aligned) {
        const RecordedCall& call = recording.calls[aligned.call];
        return is_one_of(call.kind, {"softmax", "exp"}) || is_sdpa(call) || is_module(call);
    });
    const bool is_unmasked = !layer.is_masked && !layer.memory && has_weights;  // a mask may follow scores
    const std::string key = layer.stage == nullptr && layer.memory  ? "mask_not_followed"
                            : layer.stage == nullptr                ? "not_walked"
                            : !layer.is_right                       ? "unknown"
                            : may_be_batch_first                    ? "right_tokens_first"
                            : layer.output.empty() && is_unmasked   ? "right_output_unmasked"
                            : layer.output.empty() && layer.memory  ? "right_output_crossed"
                            : layer.output.empty()                  ? "right_output"
                            : layer.memory                          ? "right_crossed"
                            : !is_unmasked || stage == "simplified" ? "right"
                                                                    : "right_unmasked";
    return words(key, {{"calls", std::to_string(layer.calls.size())},
                       {"step", layer.output},
                       {"place", std::to_string(layer.place)},
                       {"tokens", std::to_string(inputs.empty() ? 0 : inputs[0])},
                       {"sequences", std::to_string(inputs.size() < 2 ? 0 : inputs[1])},
                       {"stage", stage}}) +
           (layer.is_right && !layer.own_mask.empty() ? words("own_mask") : "") +
           (layer.is_right && layer.has_bias ? words("own_bias") : "") +
           (layer.is_right && layer.has_dropout ? words("own_dropout") : "");
}

std::string file_name(const std::string& path) {
    return printable(path.substr(path.find_last_of('/') + 1));
}

}  // namespace

bool all_right(const std::vector<AlignedLayer>& layers) {
    return !layers.empty() && std::ranges::all_of(layers, &AlignedLayer::is_right);
}

std::string alignment_text(const Recording& recording, const std::vector<AlignedLayer>& layers,
                           const Words& words) {
    if (layers.empty()) {
        const bool has_own_widths = std::ranges::any_of(recording.calls, [](const RecordedCall& call) {
            return is_module(call) && call.number("use_separate_proj_weight", 0.0) > 0.0;
        });
        return wrapped(words(recording.calls.empty() ? "no_call"
                             : has_own_widths        ? "own_widths"
                                                     : "no_attention"));
    }
    std::string text;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const AlignedLayer& layer = layers[i];
        text += layers.size() > 1 ? words("layer", i, layer.name.empty() ? "" : " " + printable(layer.name),
                                          recording.calls[layer.first_call].line) +
                                        " "
                                  : "";
        text += headline(recording, layer, words) + "\n";
    }
    for (const AlignedLayer& layer : layers) {
        if (layer.departs) {
            const RecordedCall call = departing_call(recording, layer);
            text += fmt::format("\n{}\n    {}  {}\n", words("in_file", file_name(call.file), call.line),
                                words("yours"), printable(call.text));
            text += layer.right_line.empty()
                        ? ""
                        : fmt::format("    {}  {}\n", words("right_code"), layer.right_line);
            text +=
                layer.mistake.empty() ? "" : wrapped(words("mistake", layer.mistake, words(layer.mistake)));
        }
        if (layers.size() > 1 && !layer.departs) {
            continue;
        }
        text += "\n";
        for (const AlignedCall& aligned : layer.calls) {
            const RecordedCall& call = recording.calls[aligned.call];
            const bool matches = aligned.verdict == CallVerdict::right && !aligned.step.empty();
            text += fmt::format(
                "    {:>4}  {:16}  {}\n", call.line, printable(call.op, 16),
                matches ? aligned.step : words(fmt::format("call_{}", verdict_name(aligned.verdict))));
        }
    }
    return text;
}

std::string alignment_json(const Recording& recording, const std::vector<AlignedLayer>& layers,
                           const Words& words) {
    Json all = Json::array();
    for (const AlignedLayer& layer : layers) {
        Json calls = Json::array();
        for (const AlignedCall& aligned : layer.calls) {
            const RecordedCall& call = recording.calls[aligned.call];
            const bool has_name = !call.results.empty() && !recording.tensors[call.results[0]].names.empty();
            calls.push_back({{"call", aligned.call},
                             {"op", call.op},
                             {"file", call.file},
                             {"line", call.line},
                             {"text", call.text},
                             {"label", has_name ? recording.tensors[call.results[0]].names.back() : ""},
                             {"verdict", verdict_name(aligned.verdict)},
                             {"step", aligned.step},
                             {"steps", aligned.steps}});
        }
        Json weights = Json::array();
        for (const WeightPlace& place : layer.weights) {
            weights.push_back({{"name", place.name},
                               {"tensor", place.tensor},
                               {"rows", Json::array({place.from, place.to})},
                               {"transposed", place.is_transposed}});
        }
        Json departs;
        if (layer.departs) {
            const RecordedCall call = departing_call(recording, layer);
            departs = Json{{"call", *layer.departs}, {"op", call.op},        {"file", call.file},
                           {"line", call.line},      {"text", call.text},    {"right_line", layer.right_line},
                           {"yours", layer.yours},   {"right", layer.right}, {"mistake", layer.mistake}};
        }
        all.push_back({{"name", layer.name},
                       {"stage", layer.stage == nullptr ? std::string_view() : layer.stage->name},
                       {"verdict", layer.departs    ? "departs"
                                   : layer.is_right ? "right"
                                                    : "unknown"},
                       {"headline", headline(recording, layer, words)},
                       {"masked", layer.is_masked},
                       {"own_mask", layer.own_mask},
                       {"bias", layer.has_bias},
                       {"dropout", layer.has_dropout},
                       {"heads", layer.parameters.num_heads},
                       {"kv_heads", layer.parameters.kv_heads.value_or(0)},
                       {"rotary", layer.rotary},
                       {"sequence_first", layer.is_sequence_first},
                       {"inputs", layer.inputs},
                       {"memory", layer.memory ? Json(*layer.memory) : Json()},
                       {"weights", std::move(weights)},
                       {"departs", std::move(departs)},
                       {"calls", std::move(calls)}});
    }
    return json_text({{"layers", std::move(all)}}, JsonLayout::indented);
}

}  // namespace attn
