// Rules that judge the calls of the output, and those on the way to it and beside it.
#include <algorithm>
#include <cmath>
#include <set>

#include "text/lists.hpp"
#include "watch/call_judgement.hpp"
#include "watch/layer_judgement.hpp"
#include "watch/recorded_ops.hpp"

namespace attn {

namespace {

// Returns true for a residual connection within a class of attention without normalisation: the chapter adds
// nothing to the output.
bool adds_inputs(const LayerMatch& layer, std::size_t at) {
    const RecordedCall& call = layer.calls[at];
    return call.op == "add" && contains(call.module, "Attention") && contains(call.operands, layer.x) &&
           call.module == layer.calls[layer.first_call].module &&
           std::none_of(layer.calls.begin() + static_cast<std::ptrdiff_t>(at), layer.calls.end(),
                        [&](const RecordedCall& next) {
                            return next.module == call.module && contains(next.op, "norm");
                        });
}

// Returns the cause if the call adds normalised inputs as a residual connection, and a branch normalises the
// sum again. The norm is the cause if its result replaces its operand.
OptionalIndex norm_of_residual(const LayerMatch& layer, std::size_t at) {
    const auto calls = layer.calls;
    const auto is_norm = [](const RecordedCall& call) { return contains(call.op, "norm"); };
    const auto norm = layer.made_at(layer.x);
    if (!norm || !is_norm(calls[*norm]) || calls[at].kind != "add" ||
        !contains(calls[at].operands, layer.x)) {
        return std::nullopt;
    }
    bool is_normalised = false, is_added = false;
    for (std::size_t i = at + 1; i < calls.size(); ++i) {
        if (contains(calls[i].operands, calls[at].results[0])) {
            is_normalised = is_normalised || is_norm(calls[i]);
            is_added = is_added || calls[i].kind == "add";
        }
    }
    const bool replaces = std::ranges::all_of(layer.tensor(layer.x).names, [&](const std::string& name) {
        const std::vector<std::string>& before = layer.tensor(calls[*norm].operands[0]).names;
        return contains(before, name) && calls[*norm].file == calls[at].file &&
               calls[*norm].module == calls[at].module;
    });
    return !is_normalised || !is_added ? std::nullopt : std::optional(replaces ? *norm : at);
}

}  // namespace

// Finds a call behind the right output that joins it with another tensor of the layer, or multiplies it by
// one of the layer's weights.
OptionalIndex call_behind_output(const LayerMatch& layer, const LayerJudgement& /*so_far*/) {
    std::set<std::size_t> after(layer.outputs.begin(), layer.outputs.end());
    for (std::size_t i = 0; i < layer.end; ++i) {
        const RecordedCall& call = layer.calls[i];
        const auto is_after = [&](std::size_t id) { return after.contains(id); };
        if (call.results.empty() || after.contains(call.results[0]) || !call.reads(is_after)) {
            continue;
        }
        const bool joins = call.reads([&](std::size_t id) {
            return !is_after(id) &&
                   (layer.is_weight(id) || (layer.matches.contains(id) && layer.flow[id].roles != 0));
        });
        const auto norm = norm_of_residual(layer, i);
        if (joins || norm || adds_inputs(layer, i)) {
            return norm.value_or(i);
        }
        if (call.kind == "layout" || contains(call.op, "dropout")) {
            after.insert(call.results.begin(), call.results.end());
        }
    }
    return std::nullopt;
}

OptionalIndex wrong_call_on_way(const LayerMatch& /*layer*/, const LayerJudgement& so_far) {
    return so_far.other.departs;
}

// Finds the call that merges the heads, if their projection is missing.
OptionalIndex missing_projection(const LayerMatch& layer, const LayerJudgement& so_far) {
    const RecordedCall& last = layer.calls[layer.last.value_or(0)];
    return so_far.is_right && layer.outputs.empty() && layer.ignores_output_projection() &&
                   !last.module.empty() && is_layout(last)
               ? layer.last
               : std::nullopt;
}

// Judges the other branches of a script: its calls that attention consists of. Others may be the reader's own
// experiments.
OptionalIndex wrong_call_beside(const LayerMatch& layer, const LayerJudgement& so_far) {
    if (!so_far.other.calls.empty()) {
        return std::nullopt;
    }
    std::set<std::size_t> after(layer.outputs.begin(), layer.outputs.end());
    for (std::size_t i = layer.past.empty() ? 0 : layer.first_call;
         i < layer.end && (!so_far.departs || i < *so_far.departs); ++i) {
        const RecordedCall& call = layer.calls[i];
        if (call.reads([&](std::size_t id) { return after.contains(id); })) {
            after.insert(call.results.begin(), call.results.end());
            continue;
        }
        const std::string_view kind = call.kind;
        const bool scales =
            kind == "scale" &&
            (call.operands.size() == 1 || call.reads([&](std::size_t id) { return !layer.is_moving(id); }));
        const bool joins = kind == "stack" && std::ranges::all_of(call.operands, [&](std::size_t id) {
                               return layer.matches.contains(id);
                           });
        if (layer.own.has[i] && call.module.empty() &&
            (scales || joins || is_one_of(kind, {"matmul", "softmax", "masked_fill", "triangle"})) &&
            !so_far.other.precedes(call) && !layer.own.comes_right[i] && departs(layer, call) &&
            is_of_stage(layer, call)) {
            return i;
        }
    }
    return std::nullopt;
}

// Finds dropout that runs although the module is in eval mode.
OptionalIndex dropout_in_eval_mode(const LayerMatch& layer, const LayerJudgement& so_far) {
    return earlier_call(layer, so_far, [&](const RecordedCall& call) {
        return call.is_eval && !call.operands.empty() && layer.flow[call.operands[0]].roles != 0 &&
               ((is_sdpa(call) && call.number("dropout_p", 0.0) > 0.0) ||
                (call.op == "dropout" &&
                 !std::ranges::equal(
                     layer.tensor(call.results[0]).numbers, layer.tensor(call.operands[0]).numbers,
                     [](float after, float before) { return after == before || std::isnan(before); })));
    });
}

}  // namespace attn
