#include "watch/tensor_flow.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "watch/recorded_masks.hpp"
#include "watch/recorded_ops.hpp"
#include "watch/value_match.hpp"

namespace attn {

namespace {

// Marks the results of projections. Returns their roles, as bits.
std::map<std::size_t, unsigned> roots(LayerFlow& flow, const Recording& recording,
                                      const AttentionLayer& layer) {
    std::map<std::size_t, unsigned> found;
    const auto add = [&](const std::pair<char, Projection>& one) {
        const auto& [role, p] = one;
        if (p.is_used) {
            found[p.result] |= role == 'f' ? all_roles : bit_of(role);
            flow[p.result].needs = role == 'f' || p.to > 0 ? 0U : found[p.result];
        }
    };
    std::ranges::for_each(layer.by_role, add);
    std::ranges::for_each(layer.past_by_role, add);
    for (const auto& [role, result] : layer.rows) {
        const bool is_joint = layer.is_simplified || role == 'f' || role == 'p';
        const unsigned bits = layer.is_simplified || role == 'f' ? all_roles
                              : role == 'p'                      ? bit_of('k') | bit_of('v')
                                                                 : bit_of(role);
        flow[result].needs = is_joint ? 0U : bits;
        found[result] |= bits;
        flow[result].is_row = !layer.is_simplified || recording.tensors[result].shape.size() < 2;
    }
    return found;
}

// Adds what the result has from the operands of its call.
void add_call(LayerFlow& flow, const RecordedCall& call, TensorFlow& result) {
    const bool multiplies = call.kind == "matmul";
    const bool is_whole = is_sdpa(call) || is_module(call);
    bool joins = multiplies && call.operands.size() > 1, is_mixed = false;
    result.is_random = is_random(call.op);
    result.is_turned = is_one_of(call.op, {"cos", "sin", "polar"});
    result.is_context = is_whole;
    result.is_learned = false;
    for (const std::size_t id : call.operands) {
        const TensorFlow& operand = flow[id];
        if (!is_unrelated(call.op)) {
            result.roles |= operand.roles;
            result.from_inputs = result.from_inputs || operand.from_inputs;
            result.rounding = std::max(result.rounding, operand.rounding);
            result.is_row = result.is_row || operand.is_row;
        }
        result.is_random = result.is_random || (operand.is_random && !operand.is_moving());
        result.is_learned = result.is_learned || operand.is_learned;
        result.is_turned = result.is_turned || operand.is_turned;
        result.is_context = result.is_context || operand.is_context || (multiplies && operand.is_mixed);
        joins = joins && operand.is_moving();
        is_mixed = is_mixed || operand.is_mixed;
    }
    result.is_mixed = is_mixed || joins;
}

// Marks the constants that are combined with scores or weights, and those from which they are made.
void mark_masks(LayerFlow& flow, const Recording& recording, const AttentionLayer& layer) {
    for (std::size_t i = layer.end; i-- > 0;) {
        const RecordedCall& call = recording.calls[i];
        if (call.results.empty()) {
            continue;
        }
        const TensorFlow& result = flow[call.results[0]];
        const bool is_of_mask =  // a bias of positions is none
            result.is_mask && !has_many_values(recording.tensors[call.results[0]]);
        if (!result.is_moving() && !is_of_mask) {
            continue;
        }
        for (std::size_t at = 0; at < call.operands.size(); ++at) {
            const std::size_t id = call.operands[at];
            const std::vector<std::size_t>& shape = recording.tensors[id].shape;
            const std::size_t rank = shape.size();
            const bool is_square =
                rank > 1 && shape[rank - 1] > 1 && shape[rank - 2] > 1 &&
                (shape[rank - 1] == shape[rank - 2] ||
                 (shape[rank - 1] > shape[rank - 2] && !has_many_values(recording.tensors[id])));
            const bool masks = is_sdpa(call)                                ? at == 3
                               : first_factor(call) == 1                    ? at == 0
                               : is_one_of(call.kind, {"matmul", "layout"}) ? false
                                                                            : is_square;
            if (!flow[id].is_moving() && !layer.is_weight(id) && (!result.is_moving() || masks)) {
                flow[id].is_mask = true;
            }
        }
    }
}

}  // namespace

LayerFlow follow(const Recording& recording, const AttentionLayer& layer) {
    LayerFlow flow{std::vector<TensorFlow>(recording.tensors.size())};
    for (std::size_t id = 0; id < flow.tensors.size(); ++id) {
        const RecordedTensor& tensor = recording.tensors[id];
        flow[id].from_inputs = layer.is_input(id);
        flow[id].is_learned = tensor.is_parameter && !layer.is_weight(id) && has_many_values(tensor);
        flow[id].rounding = rounding_of(tensor);
    }
    const std::map<std::size_t, unsigned> results = roots(flow, recording, layer);
    for (const auto& [result, bits] : results) {
        flow.used |= bits;
        flow[result].roles = layer.is_given ? bits : 0U;
    }
    for (std::size_t i = 0; i < layer.end; ++i) {
        const RecordedCall& call = recording.calls[i];
        for (const std::size_t id : call.results) {
            if (recording.makers[id] != i || layer.is_input(id)) {
                continue;
            }
            TensorFlow& result = flow[id];
            add_call(flow, call, result);
            result.is_learned = result.is_learned && !layer.is_weight(id);
            if (const auto root = results.find(id); root != results.end()) {
                result.roles |= root->second;
            }
            const auto is_foreign = [&](std::size_t operand) { return flow[operand].is_foreign; };
            result.is_foreign = !result.is_moving() && (call.kind == "matmul" || call.reads(is_foreign));
        }
    }
    mark_masks(flow, recording, layer);
    return flow;
}

}  // namespace attn
