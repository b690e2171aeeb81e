// Rules that find the call which makes or applies a wrong mask.
#include <algorithm>
#include <cmath>

#include "text/lists.hpp"
#include "watch/call_judgement.hpp"
#include "watch/layer_judgement.hpp"
#include "watch/recorded_masks.hpp"
#include "watch/recorded_ops.hpp"

namespace attn {

namespace {

// Returns the call that made the mask of a call, if the mask hides nothing or has wrong values. A mask to add
// has 0 and a very negative number; one for SDPA is true for tokens that are seen.
OptionalIndex maker_of_mask(const LayerMatch& layer, const RecordedCall& call) {
    const bool fused = is_sdpa(call);
    const bool fills = call.kind == "masked_fill";
    if (call.results.empty() || !layer.is_moving(call.results[0])) {
        return std::nullopt;
    }
    for (const std::size_t id : call.operands) {
        const RecordedTensor& mask = layer.tensor(id);
        const auto maker = layer.made_at(id);
        if (layer.is_moving(id) || layer.is_weight(id) || !maker || mask.numbers.empty() ||
            has_many_values(mask) ||
            (!fills && !layer.flow[id].is_mask && !(std::ranges::min(mask.numbers) < least_score))) {
            continue;
        }
        const float own = mask.numbers.front();
        const auto [least, most] = std::ranges::minmax(mask.numbers);
        const bool is_truth = mask.type == "bool";
        const bool adds = fused ? !is_truth : !fills && !contains(call.op, "mul");
        if (adds && is_of_zeros_and_ones(mask) && least != most) {
            return std::nullopt;  // right in another call
        }
        const bool is_fill = fills && mask.numbers.size() == 1;
        const bool is_wrong = (is_fill ? own > least_score : least == most) ||
                              (adds && (own != 0.0F || least > least_score)) ||
                              (fused && is_truth && own == 0.0F);
        std::size_t cause = *maker;
        while (least == most && mask.numbers.size() > 1 && layer.calls[cause].operands.size() == 1 &&
               !is_unrelated(layer.calls[cause].op) && layer.made_at(layer.calls[cause].operands[0])) {
            cause = *layer.made_at(layer.calls[cause].operands[0]);  // of ~mask, that of the mask
        }
        if (is_wrong && (fills ? mask.numbers.size() == 1 || layer.calls[cause].operands.size() > 1
                               : may_be_causal_mask(mask))) {
            return cause;
        }
    }
    return std::nullopt;
}

}  // namespace

OptionalIndex maker_of_wrong_mask(const LayerMatch& layer, const LayerJudgement& so_far) {
    return maker_of_mask(layer, layer.calls[*so_far.departs]);
}

// Returns the call that repeats masks of sequences in the order of heads, or the other way round.
OptionalIndex repeat_of_masks(const LayerMatch& layer, const LayerJudgement& so_far) {
    const RecordedCall& call = layer.calls[*so_far.departs];
    for (const std::size_t id : call.operands) {
        const auto maker = layer.made_at(layer.recording->before(id, is_layout));
        if (maker && layer.flow[id].roles == 0 && layer.is_moving(call.results[0]) &&
            is_one_of(layer.calls[*maker].kind, {"repeat", "repeat_interleave"})) {
            return maker;
        }
    }
    return std::nullopt;
}

// Returns the first call with a symmetric result, for a mask that hides earlier and later tokens alike.
OptionalIndex maker_of_symmetry(const LayerMatch& layer, const LayerJudgement& so_far) {
    OptionalIndex maker;
    for (std::vector<std::size_t> next = layer.calls[*so_far.departs].results; !next.empty();) {
        const auto found = std::ranges::find_if(
            next, [&](std::size_t id) { return !layer.is_moving(id) && is_symmetric(layer.tensor(id)); });
        if (found == next.end() || !layer.made_at(*found)) {
            break;
        }
        maker = layer.made_at(*found);
        next = layer.calls[*maker].operands;
    }
    return maker;
}

// Returns the last call of a detour that should have ended before this call.
OptionalIndex end_of_detour(const LayerMatch& layer, const LayerJudgement& so_far) {
    const auto calls = layer.calls;
    const StageTrace& trace = layer.trace();
    const std::size_t at = *so_far.departs;
    for (const std::size_t id : calls[at].operands) {
        const auto is = [&](const OptionalIndex& node) {
            return node && layer.node_of(id) &&
                   identical(trace.node(*layer.node_of(id)).value, trace.node(*node).value);
        };
        const bool multiplies = calls[at].kind == "matmul" && !is(layer.walks->softmax);
        const bool is_unmasked = multiplies && is(layer.walks->unmasked);
        const bool is_zeroed = multiplies && is(layer.walks->zeroed) &&
                               std::ranges::count_if(calls, [&](const RecordedCall& use) {
                                   return so_far.is_judged(layer, use) && contains(use.operands, id);
                               }) == 1;
        const bool is_scaled =
            is_sdpa(calls[at]) && layer.node_of(id) && contains(layer.walks->prescaled, *layer.node_of(id));
        if ((!is_unmasked && !is_zeroed && !is_scaled) || !layer.made_at(id)) {
            continue;
        }
        std::size_t cause = *layer.made_at(id);
        for (std::size_t i = layer.first_call; is_unmasked && i < at; ++i) {
            const bool masks = calls[i].kind == "masked_fill" ||
                               calls[i].reads([&](auto one) { return layer.flow[one].is_mask; });
            cause =
                masks && !calls[i].results.empty() && layer.flow[calls[i].results[0]].roles != 0 ? i : cause;
        }
        if (is_scaled) {
            return layer.made_at(layer.recording->before(id, is_layout));
        }
        return is_unmasked ? maker_of_mask(layer, calls[cause]).value_or(cause) : cause;
    }
    return std::nullopt;
}

// Finds a mask that shows only the tokens with one id, such as that of the padding, and hides all others.
OptionalIndex inverted_padding(const LayerMatch& layer, const LayerJudgement& so_far) {
    const auto fills = [](const RecordedCall& call) {
        return call.op.starts_with("masked_fill") && call.operands.size() > 1;
    };
    const auto given_mask = [&](const RecordedCall& call) -> OptionalIndex {
        if (pads_keys(call)) {  // the module has made numbers to add of it
            const std::size_t mask = call.by_keyword.at("key_padding_mask");
            return layer.maker(mask) != nullptr && fills(*layer.maker(mask)) ? layer.maker(mask)->operands[1]
                                                                             : mask;
        }
        return fills(call)                                 ? std::optional(call.operands[1])
               : is_sdpa(call) && call.operands.size() > 3 ? std::optional(call.operands[3])
                                                           : std::nullopt;
    };
    const auto shows_padding = [&](const RecordedCall& call) {
        const bool fused = is_sdpa(call);
        const OptionalIndex mask = given_mask(call);
        if (!mask || layer.flow[call.results[0]].roles == 0) {
            return false;
        }
        const auto* const compares = layer.maker(layer.recording->before(*mask, [](const RecordedCall& one) {
            return is_one_of(one.kind, {"layout", "repeat", "repeat_interleave"});
        }));
        return compares != nullptr && compares->kind == (fused ? "eq" : "ne") &&
               compares->operands.size() == 1 &&
               layer.tensor(compares->operands[0]).type.starts_with("int") &&
               has_many_values(layer.tensor(compares->operands[0]));
    };
    return earlier_call(layer, so_far, shows_padding);
}

// Finds a number that fills hidden scores, but is so near to the others that softmax does not hide them.
OptionalIndex weak_fill(const LayerMatch& layer, const LayerJudgement& so_far) {
    return earlier_call(layer, so_far, [&](const RecordedCall& call) {
        return call.op.starts_with("masked_fill") && !call.arguments.empty() && call.operands.size() == 2 &&
               so_far.is_judged(layer, call) && !layer.flow[call.operands[0]].is_context &&
               layer.flow[call.operands[0]].is_mixed && std::abs(call.arguments.back().second) < 1e-3 &&
               std::ranges::any_of(layer.calls, [&](const RecordedCall& later) {
                   return later.kind == "softmax" && contains(later.operands, call.results[0]);
               });
    });
}

}  // namespace attn
