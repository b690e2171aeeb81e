// Judges a layer whose tensors are matched with a walk: finds the call that departs, or the calls of another
// kind of attention.
#pragma once

#include <algorithm>
#include <vector>

#include "watch/layer_match.hpp"
#include "watch/other_attention.hpp"

namespace attn {

struct LayerJudgement {
    bool is_right = false;
    OptionalIndex departs{};            // the call that departs
    OptionalIndex caller{};             // which of its callers is wrong, if the call is not
    OtherAttention other{};             // the calls of another kind of attention
    std::vector<std::size_t> beside{};  // departing calls that need not lead to the output

    bool is_judged(const LayerMatch& layer, const RecordedCall& call) const {
        return layer.is_on_way(call) ||
               std::ranges::any_of(beside, [&](std::size_t at) { return &layer.calls[at] == &call; });
    }
};

// Returns the call that departs in place of the one found so far, or none. A rule that is asked for the cause
// of a departure is asked only if there is one.
using Rule = OptionalIndex(const LayerMatch& layer, const LayerJudgement& so_far);

// These rules judge the output: see output_rules.cpp.
Rule call_behind_output, wrong_call_on_way, missing_projection, wrong_call_beside, dropout_in_eval_mode;
// These rules judge parts, heads and rows: see part_rules.cpp.
Rule mixture_of_tokens, chooser_of_wrong_tokens, maker_of_wrong_row, mover_of_heads, chooser_of_wrong_part,
    repeated_part, part_named_as_other;
// These rules judge positions: see rotation_rules.cpp.
Rule maker_of_wrong_positions, rotation_without_effect, maker_of_wrong_angles;
// These rules judge masks: see mask_rules.cpp.
Rule maker_of_wrong_mask, repeat_of_masks, maker_of_symmetry, end_of_detour, inverted_padding, weak_fill;

// Returns the first of the layer's calls, before the present departure, for which the test is true.
OptionalIndex earlier_call(const LayerMatch& layer, const LayerJudgement& so_far, const auto& test) {
    const std::size_t end = std::min(layer.end, so_far.departs.value_or(layer.end));
    for (std::size_t i = layer.first_call; i < end; ++i) {
        if (test(layer.calls[i])) {
            return i;
        }
    }
    return std::nullopt;
}

// Returns which caller of the departing call is wrong, if it is not the call. A function that is right for
// other operands is not wrong itself: the line that calls it is.
OptionalIndex wrong_caller(const LayerMatch& layer, const LayerJudgement& judged);

LayerJudgement judge_layer(const LayerMatch& layer);

}  // namespace attn
