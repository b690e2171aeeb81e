#include "watch/own_numbers.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "text/lists.hpp"

namespace attn {

bool replaces_scale(const LayerMatch& layer, const LayerJudgement& judged) {
    const auto scales = [&](const RecordedCall& call) {
        const auto moving = std::ranges::find_if(call.operands, [&](auto id) { return layer.is_moving(id); });
        return judged.is_judged(layer, call) && call.kind == "scale" && moving != call.operands.end() &&
               factor_of(layer, call, *moving);
    };
    return std::ranges::any_of(judged.other.calls, [&](std::size_t at) { return scales(layer.calls[at]); }) &&
           std::ranges::count_if(layer.calls, scales) == 1 &&
           std::ranges::none_of(layer.calls, [&](const RecordedCall& call) {
               return judged.is_judged(layer, call) && is_sdpa(call);
           });
}

std::optional<OwnNumbers> own_numbers(const LayerMatch& layer, const LayerJudgement& judged,
                                      bool at_softmax) {
    const StageTrace& trace = layer.trace();
    const auto calls = layer.calls;
    const std::vector<bool>& is_other = judged.other.is_other;
    const auto walked_at = [&](std::size_t node, std::size_t size) {
        return std::ranges::find_if(layer.walks->tensors, [&](const WalkedTensor& one) {
            return one.node == node && one.numbers.size() == size && !one.head;
        });
    };
    for (std::size_t i = judged.other.calls.empty() ? layer.end : judged.other.calls[0]; i < layer.end; ++i) {
        const std::size_t result = calls[i].results.empty() ? 0 : calls[i].results[0];
        if (!judged.is_judged(layer, calls[i]) || !is_other[result] || !layer.tensor(result).has_numbers ||
            is_product(calls[i])) {
            continue;
        }
        std::vector<std::size_t> pending = calls[i].operands;
        for (std::size_t at = 0; at < pending.size(); ++at) {
            const std::size_t id = pending[at];
            if (layer.flow[id].is_mixed != layer.flow[result].is_mixed ||
                layer.flow[id].roles != layer.flow[result].roles || !layer.made_at(id) ||
                (is_other[id] && is_product(*layer.maker(id)))) {
                continue;
            }
            const auto* const match = layer.match_of(id);
            if (is_other[id] || match == nullptr || match->row ||
                layer.tensor(id).shape != layer.tensor(result).shape) {
                const std::vector<std::size_t>& before = layer.maker(id)->operands;
                std::ranges::copy_if(before, std::back_inserter(pending),
                                     [&](std::size_t one) { return !contains(pending, one); });
                continue;
            }
            std::size_t node = match->node;
            auto walked = walked_at(node, layer.tensor(id).numbers.size());
            std::vector<std::size_t> order = match->order;
            const bool is_turned =
                layer.flow[result].is_turned && !layer.flow[id].is_mixed && trace.find("cos");
            const bool is_score =
                layer.flow[id].is_mixed && walked != layer.walks->tensors.end() && walked->is_square;
            if (is_turned && walked != layer.walks->tensors.end()) {
                const bool of_queries = walked->roles == bit_of('q');
                const auto heads = trace.find(of_queries ? "queries_heads" : "keys_heads");
                walked =
                    heads ? walked_at(*heads, layer.tensor(id).numbers.size()) : layer.walks->tensors.end();
                const auto again =
                    walked == layer.walks->tensors.end()
                        ? std::nullopt
                        : match_value(layer.tensor(id), std::span(&*walked, 1), layer.flow[id].rounding, 0U);
                if (!again) {
                    continue;
                }
                order = again->order;
                node = trace.find(of_queries ? "queries_turned" : "keys_turned").value();
            } else if (is_score && (at_softmax || node >= layer.walks->first_detour)) {
                node = trace.node(layer.walks->softmax).call.inputs[0];
            } else if (node >= layer.walks->first_detour) {
                continue;
            }
            if (walked != layer.walks->tensors.end()) {
                return OwnNumbers{
                    node, in_walked_order(layer.tensor(result), *walked, {.node = node, .order = order})};
            }
        }
    }
    return std::nullopt;
}

}  // namespace attn
