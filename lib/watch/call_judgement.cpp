#include "watch/call_judgement.hpp"

#include <algorithm>
#include <functional>

#include "text/lists.hpp"
#include "watch/recorded_masks.hpp"
#include "watch/recorded_ops.hpp"

namespace attn {

namespace {

// Returns true if `is_causal` hides keys of a cache: its mask does not count them.
bool hides_cached_keys(const LayerMatch& layer, const RecordedCall& call) {
    if (!is_sdpa(call) || call.number("is_causal", 0.0) == 0.0) {
        return false;
    }
    const std::size_t queries = layer.tensor(call.operands[0]).size(-2);
    return queries > 1 && queries < layer.tensor(call.operands[1]).size(-2);
}

// Returns true for masks that are combined, such as a causal one and a window. Zeros that a mask fills are no
// second one.
bool joins_masks(const LayerMatch& layer, const RecordedCall& call) {
    const auto is_mask = [&](std::size_t id) {
        const std::vector<float>& numbers = layer.tensor(id).numbers;
        return layer.flow[id].is_mask &&
               std::ranges::adjacent_find(numbers, std::not_equal_to()) != numbers.end();
    };
    return call.operands.size() == 2 && !call.results.empty() && !layer.is_moving(call.results[0]) &&
           !differs_by_sequence(layer.tensor(call.results[0])) && std::ranges::all_of(call.operands, is_mask);
}

// Returns true if the result is a mask that can be judged: padding is the reader's own, and of masks that are
// combined, only the result is judged.
bool makes_whole_mask(const LayerMatch& layer, const RecordedCall& call) {
    const std::size_t id = call.results[0];
    const RecordedTensor& mask = layer.tensor(id);
    return layer.flow[id].is_mask && !layer.flow[id].is_random && !call.operands.empty() &&
           !has_many_values(mask) && (!differs_by_sequence(mask) || hides_rows(mask)) &&
           std::ranges::none_of(layer.calls, [&](const RecordedCall& next) {
               return contains(next.operands, id) && joins_masks(layer, next);
           });
}

// Returns true if a call puts a cache behind the layer's own keys, although another call puts it before them.
bool appends_cache(const LayerMatch& layer, const RecordedCall& call) {
    const auto appends = [&](const RecordedCall& join, std::size_t cache) {
        return join.op == call.op && join.operands.size() == 2 && layer.is_on_way(join) &&
               layer.is_moving(join.operands[1 - cache]) && !layer.is_moving(join.operands[cache]) &&
               layer.tensor(join.results[0]).shape == layer.tensor(call.results[0]).shape;
    };
    return appends(call, 1) &&
           std::ranges::any_of(layer.calls, [&](const RecordedCall& other) { return appends(other, 0); });
}

// Returns true if the operands are right as far as they are not the reader's own.
bool has_right_operands(const LayerMatch& layer, const RecordedCall& call) {
    const bool projects_output = call.kind == "matmul" && call.reads([&](std::size_t id) {
        return layer.node_of(id) >= layer.walks->context && layer.node_of(id) < layer.walks->first_detour;
    });
    const bool after_softmax =
        call.reads([&](std::size_t id) { return layer.node_of(id) == layer.walks->softmax; });
    return std::ranges::all_of(call.operands, [&](std::size_t id) {
        if (projects_output && !layer.is_moving(id) && !layer.is_weight(id)) {
            return false;  // a weight that the stages do not have
        }
        // A bias of positions is the reader's own, but not behind softmax; a mask may be made of positions.
        return has_many_values(layer.tensor(id)) && layer.flow[id].is_mask
                   ? !layer.is_moving(call.results[0]) || after_softmax
                   : layer.is_right(id);
    });
}

}  // namespace

bool pads_keys(const RecordedCall& call) {
    return is_module(call) && call.by_keyword.contains("key_padding_mask");
}

bool departs(const LayerMatch& layer, const RecordedCall& call) {
    if (call.results.empty() || (call.op == "einsum" && call.operands.size() > 2) || layer.is_outer(call)) {
        return false;  // einsum of three joins several steps; of outer products, the sum is judged
    }
    if (hides_cached_keys(layer, call)) {
        return true;
    }
    const std::size_t id = call.results[0];
    const std::size_t least = call.kind == "matmul" ? least_part : 2U;
    if (!layer.tensor(id).has_numbers || layer.tensor(id).numbers.size() < least ||
        (!layer.is_moving(id) && !makes_whole_mask(layer, call))) {
        return false;
    }
    if (joins_masks(layer, call)) {
        return !layer.is_right(id);
    }
    if (is_one_of(call.kind, {"cat", "stack"}) &&
        call.reads([&](auto part) { return !layer.is_moving(part); })) {
        return appends_cache(layer, call);  // else a cache, or keys and values of other layers
    }
    const bool is_right = std::ranges::any_of(call.results, [&](std::size_t result) {
        const auto* const match = layer.match_of(result);
        return layer.is_right(result) && (match == nullptr || !match->is_swapped || is_layout(call));
    });
    return !is_right && has_right_operands(layer, call);
}

}  // namespace attn
