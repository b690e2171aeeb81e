#include "watch/layer_judgement.hpp"

#include <algorithm>
#include <optional>
#include <span>

namespace attn {

namespace {

struct Row {
    Rule* rule;
    bool is_beside = false;  // the call need not lead to the output
};

// Each may find a departure in place of the one before.
constexpr Row departures[] = {
    {call_behind_output},      {wrong_call_on_way},        {mixture_of_tokens},
    {chooser_of_wrong_tokens}, {maker_of_wrong_positions}, {missing_projection},
};

// Each may find an earlier departure, the first one also beside the way to the output.
constexpr Row earlier_departures[] = {
    {wrong_call_beside, true},
    {dropout_in_eval_mode},
    {rotation_without_effect},
};

// The first that finds the cause of the departure moves it there.
constexpr Row causes[] = {
    {maker_of_wrong_row}, {maker_of_wrong_mask}, {repeat_of_masks}, {maker_of_wrong_angles},
    {maker_of_symmetry},  {mover_of_heads},      {end_of_detour},   {chooser_of_wrong_part},
    {repeated_part},      {part_named_as_other},
};

// Each may find an earlier one, which is its own cause.
constexpr Row wrong_masks[] = {
    {inverted_padding, true},
    {weak_fill},
};

void depart(LayerJudgement& judged, const Row& row, OptionalIndex at) {
    if (at) {
        judged.departs = at;
        judged.is_right = false;
        if (row.is_beside) {
            judged.beside.push_back(*at);
        }
    }
}

void ask_all(const LayerMatch& layer, LayerJudgement& judged, std::span<const Row> rows) {
    for (const Row& row : rows) {
        depart(judged, row, row.rule(layer, judged));
    }
}

}  // namespace

LayerJudgement judge_layer(const LayerMatch& layer) {
    const auto is_output = [&](std::size_t id) {
        return layer.matches.contains(id) && layer.flow[id].roles == layer.flow.used;
    };
    const bool ends_right = layer.last && std::ranges::any_of(layer.calls[*layer.last].results, is_output);
    LayerJudgement judged{.is_right = !layer.outputs.empty() || ends_right, .other = other_attention(layer)};
    ask_all(layer, judged, departures);
    if (!judged.is_right && !judged.departs && judged.other.calls.empty()) {
        add_first_difference(layer, judged.other);
    }
    add_foreign_steps(layer, judged.other);
    ask_all(layer, judged, earlier_departures);
    for (const Row& row : causes) {
        if (const auto cause = judged.departs ? row.rule(layer, judged) : std::nullopt) {
            depart(judged, row, cause);
            break;
        }
    }
    ask_all(layer, judged, wrong_masks);
    judged.caller = wrong_caller(layer, judged);
    return judged;
}

}  // namespace attn
