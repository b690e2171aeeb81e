#include "diagnosis/alignment.hpp"

#include <fmt/format.h>

#include <optional>

#include "diagnosis/layer_comparison.hpp"
#include "diagnosis/layer_finder.hpp"
#include "diagnosis/layer_form.hpp"
#include "diagnosis/layer_mistake.hpp"
#include "diagnosis/layer_walks.hpp"
#include "diagnosis/recorded_ops.hpp"

namespace attn {

namespace {

// Code that calls itself causal must have a mask.
void require_named_mask(const Recording& recording, AlignedLayer& layer) {
    if (!layer.is_right || layer.is_masked || recording.tensors[layer.inputs].shape.size() < 2) {
        return;
    }
    for (AlignedCall& aligned : layer.calls) {
        const RecordedCall& call = recording.calls[aligned.call];
        const bool fused = call.op == "scaled_dot_product_attention";
        if ((fused || call.kind == "softmax") && (call.module.find("Causal") != std::string::npos)) {
            layer.departs = aligned.call;
            layer.is_right = false;
            layer.yours = "";
            layer.right = fused ? "is_causal=True" : "masked_fill(mask.bool(), -torch.inf)";
            aligned.verdict = CallVerdict::departs;
            return;
        }
    }
}

// Returns true if no call uses some other parameter with the role and shape of this one.
bool has_unused_like(const Recording& recording, std::size_t weight) {
    const RecordedTensor& like = recording.tensors[weight];
    std::vector<bool> used(recording.tensors.size());
    for (const RecordedCall& call : recording.calls) {
        for (const std::size_t id : call.operands) {
            used[id] = true;
        }
    }
    for (std::size_t id = 0; id < used.size(); ++id) {
        const RecordedTensor& other = recording.tensors[id];
        if (!used[id] && other.is_parameter && other.shape == like.shape && role_of(other) && role_of(like) &&
            role_of(other)->role == role_of(like)->role) {
            return true;
        }
    }
    return false;
}

// Single heads on the same inputs are joined along the last axis. Judges the call that joins them.
void judge_joined_heads(const Recording& recording, std::vector<AlignedLayer>& layers) {
    std::vector<std::size_t> heads;  // their outputs
    for (const AlignedLayer& layer : layers) {
        if (!layer.is_right || layer.inputs != layers[0].inputs || layer.calls.empty() ||
            layer.stage != layers[0].stage || layer.parameters.num_heads > 1) {
            return;
        }
        heads.push_back(recording.calls[layer.calls.back().call].results[0]);
    }
    const auto of = [&](std::size_t id) -> const RecordedTensor& { return recording.tensors[id]; };
    const auto has_heads = [&](const RecordedCall& call) { return call.operands == heads; };
    const auto join = std::ranges::find_if(recording.calls, has_heads);
    if (heads.size() < 2 || join == recording.calls.end() ||
        !is_one_of(join->op, {"cat", "stack", "concat"})) {
        return;
    }
    const auto depart = [&](const std::string& right_line) {
        AlignedLayer& last = layers.back();
        last.is_right = false;
        last.departs = static_cast<std::size_t>(join - recording.calls.begin());
        last.calls.push_back({*last.departs, CallVerdict::departs, ""});
        last.right_line = right_line;
    };
    if (const auto& all = layers[0].weights; !all.empty() && layers[1].weights[0].tensor == all[0].tensor &&
                                             has_unused_like(recording, all[0].tensor)) {
        depart("");  // one head runs again in place of the next
        return;
    }
    std::size_t joined = join->results[0];
    for (auto next = join + 1; next != recording.calls.end(); ++next) {
        if (next->kind == "layout" && next->operands == std::vector{joined} &&
            of(next->results[0]).numbers.size() == of(joined).numbers.size()) {
            joined = next->results[0];
        }
    }
    const std::size_t width = of(heads[0]).shape.back();
    if (join->op == "stack" && of(joined).shape.back() == width) {
        return;  // the heads have an axis of their own
    }
    std::vector<float> right;
    for (std::size_t row = 0; row < of(heads[0]).numbers.size() / width; ++row) {
        for (const std::size_t head : heads) {
            const auto from = of(head).numbers.begin() + static_cast<std::ptrdiff_t>(row * width);
            right.insert(right.end(), from, from + static_cast<std::ptrdiff_t>(width));
        }
    }
    if (of(joined).numbers != right || of(joined).shape.back() != width * heads.size()) {
        depart("context_vec = torch.cat(heads, dim=-1)");
    }
}

AlignedLayer aligned(const Recording& recording, const LayerFinder& finder, const AttentionLayer& found) {
    const auto of = [&](std::size_t id) -> const RecordedTensor& { return recording.tensors[id]; };
    AlignedLayer layer{.name = found.name.empty() ? recording.calls[found.first_call].module : found.name,
                       .first_call = found.first_call,
                       .inputs = found.x,
                       .weights = {},
                       .calls = {}};
    if (const auto contradicts = finder.contradiction(found)) {
        const Projection p = finder.projection_at(*contradicts).value();
        layer.departs = contradicts;
        layer.calls.push_back({*contradicts, CallVerdict::departs, ""});
        layer.yours = std::string(of(p.weight).name());
        const auto right = found.by_role.find(role_of(of(finder.named_after(p)))->role);
        layer.right = right == found.by_role.end() ? "" : std::string(of(right->second.weight).name());
        return layer;
    }
    if (found.stray) {
        layer.departs = found.stray;
        if (found.is_stray_given && !recording.calls[*found.stray].callers.empty()) {
            layer.caller = 0;
        }
        layer.calls.push_back({*found.stray, CallVerdict::departs, ""});
        layer.yours = std::string(of(finder.projection_at(*found.stray)->x).name());
        layer.right = std::string(of(found.x).name());
        if (layer.yours.empty() || layer.right.empty() || layer.yours == layer.right) {
            layer.yours = layer.right = "";
        }
        return layer;
    }
    std::optional<std::size_t> most;
    bool turns = false;
    for (const Form& form : forms(recording, finder.makers(), found)) {
        if (turns && form.rotary == Pairing::none) {
            break;
        }
        if (form.own && form.own->growing) {
            layer.departs = form.own->growing;
            layer.calls.assign(1, {*layer.departs, CallVerdict::departs, ""});
            layer.yours = layer.right = layer.right_line = "";
            return layer;
        }
        try {
            LayerWalks walks(found, recording, form);
            walks.walk_all();
            std::optional<LayerComparison> comparison(std::in_place, recording, finder.makers(), found,
                                                      walks);
            if (const auto dropped = comparison->dropped_weights()) {
                walks.walk_all(&*dropped);
                comparison.emplace(recording, finder.makers(), found, walks);
            }
            const std::size_t count = comparison->right_calls();
            turns = turns || comparison->reaches("queries_turned") || comparison->reaches("keys_turned");
            if (!most || count > *most || comparison->is_right()) {
                most = count;
                layer.calls.clear();
                const std::vector<std::size_t>& shape = of(found.x).shape;
                const bool is_newest =  // one token, which has no later ones
                    !found.past.empty() && (shape.size() == 1 || shape[shape.size() - 2] == 1);
                layer.is_masked =
                    (form.is_masked && !found.memory && (!form.own || form.own->is_causal)) || is_newest;
                layer.is_sequence_first = form.is_sequence_first;
                layer.rotary =
                    form.rotary == Pairing::none
                        ? ""
                        : fmt::format("{}:{:.0f}", form.rotary == Pairing::halves ? "halves" : "neighbours",
                                      form.base);
                layer.yours = layer.right = layer.right_line = "";
                comparison->fill(layer);
            }
            if (comparison->is_right()) {
                break;
            }
        } catch (const Error&) {  // the stage does not fit this form
        }
    }
    require_named_mask(recording, layer);
    layer.mistake = mistake_of(recording, layer);
    return layer;
}

}  // namespace

RecordedCall departing_call(const Recording& recording, const AlignedLayer& layer) {
    RecordedCall call = recording.calls[*layer.departs];
    if (layer.caller) {
        const RecordedCall::Caller by = call.callers[*layer.caller];
        call.op = by.function;
        call.file = by.file;
        call.text = by.text;
        call.line = by.line;
    }
    return call;
}

std::vector<AlignedLayer> align(const Recording& recording) {
    const LayerFinder finder(recording);
    std::vector<AlignedLayer> all;
    for (const AttentionLayer& layer : finder.layers()) {
        all.push_back(aligned(recording, finder, layer));
    }
    if (!all.empty()) {
        judge_joined_heads(recording, all);
    }
    return all;
}

}  // namespace attn
