// Rules that find the call which takes or puts together wrong parts: rows, heads and thirds of tensors.
#include <algorithm>
#include <set>
#include <span>

#include "text/lists.hpp"
#include "watch/layer_judgement.hpp"
#include "watch/recorded_ops.hpp"

namespace attn {

namespace {

// The parts of one tensor that a line takes in all turns of a loop.
struct Turns {
    bool differ = false;  // or there is only one turn
    bool grow = false;    // by one token in each turn
};

Turns turns_of(const LayerMatch& layer, const RecordedCall& made) {
    std::vector<std::size_t> counts;
    bool differ = false;
    for (const RecordedCall& other : layer.calls) {
        if (other.repeats(made) && other.results.size() == 1 && other.text == made.text &&
            other.operands == made.operands) {
            const RecordedTensor& turn = layer.tensor(other.results[0]);
            differ = differ || turn.numbers != layer.tensor(made.results[0]).numbers;
            counts.push_back(turn.shape.empty() ? 0 : turn.shape[0]);
        }
    }
    bool grow = counts.size() > 1;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        grow = grow && counts[i] == i + 1;
    }
    return {differ || counts.size() == 1, grow};
}

}  // namespace

// Returns the call that gives a fused projection a shape in which rows have features of several tokens. If
// the weight joins those of queries, keys and values, a shape in which the heads come first is wrong, too.
OptionalIndex mixture_of_tokens(const LayerMatch& layer, const LayerJudgement& /*so_far*/) {
    if (!layer.last || !layer.has_unknown_order()) {
        return std::nullopt;
    }
    const std::size_t fused = layer.by_role.at('f').result;
    for (std::size_t i = layer.first_call; i < layer.end; ++i) {
        const RecordedCall& call = layer.calls[i];
        if (!is_one_of(call.op, {"view", "reshape"}) || call.operands != std::vector{fused}) {
            continue;
        }
        const std::vector<std::size_t>& shape = layer.tensor(call.results[0]).shape;
        std::size_t width = 1;
        auto axis = shape.rbegin();
        while (axis != shape.rend() && width < layer.tensor(fused).size(-1)) {
            width *= *axis++;
        }
        const RecordedCall* const joins = layer.maker(layer.by_role.at('f').weight);
        const std::size_t rank = shape.size();
        const bool takes_heads_first = joins != nullptr && joins->kind == "cat" && rank > 3 &&
                                       shape[rank - 3] > 1 && shape[rank - 2] == roles.size() &&
                                       shape[rank - 3] * roles.size() * shape[rank - 1] == width;
        if (width != layer.tensor(fused).size(-1) || takes_heads_first) {
            return i;
        }
    }
    return std::nullopt;
}

// Returns the first call of a line that takes, for each token, the token itself and all later ones, or the
// earlier ones without the token itself.
OptionalIndex chooser_of_wrong_tokens(const LayerMatch& layer, const LayerJudgement& so_far) {
    const auto calls = layer.calls;
    for (std::size_t i = layer.first_call; !so_far.is_right && i < layer.end; ++i) {
        if (!layer.way.has[i] || calls[i].kind != "layout" || calls[i].operands.size() != 1 ||
            !layer.is_moving(calls[i].operands[0]) || layer.flow[calls[i].operands[0]].is_mixed) {
            continue;
        }
        const RecordedTensor& whole = layer.tensor(calls[i].operands[0]);
        const bool is_of_tokens = layer.walks->n > 2 && whole.has_numbers && !whole.shape.empty() &&
                                  whole.shape[0] == layer.walks->n;
        std::set<std::size_t> counts;
        bool ends_alike = is_of_tokens, begins_alike = is_of_tokens;
        for (std::size_t at = i; at < layer.end && (ends_alike || begins_alike); ++at) {
            if (calls[at].repeats(calls[i]) && calls[at].operands == calls[i].operands &&
                calls[at].results.size() == 1) {
                const RecordedTensor& part = layer.tensor(calls[at].results[0]);
                const bool is_part =
                    part.shape.size() == whole.shape.size() && part.numbers.size() <= whole.numbers.size();
                ends_alike = ends_alike && is_part &&
                             std::equal(part.numbers.rbegin(), part.numbers.rend(), whole.numbers.rbegin());
                begins_alike = begins_alike && is_part &&
                               std::equal(part.numbers.begin(), part.numbers.end(), whole.numbers.begin());
                counts.insert(part.shape.empty() ? 0 : part.shape[0]);
            }
        }
        const bool has_all = counts.size() == layer.walks->n && !counts.contains(0);
        const bool lags = counts.size() + 1 == layer.walks->n && !counts.contains(layer.walks->n);
        if ((has_all && ends_alike) || (lags && begins_alike)) {
            return i;
        }
    }
    return std::nullopt;
}

// If rows are joined in a wrong order, returns the call that made the first misplaced one. If a projection
// made it, returns the call that joins them.
OptionalIndex maker_of_wrong_row(const LayerMatch& layer, const LayerJudgement& so_far) {
    const RecordedCall& call = layer.calls[*so_far.departs];
    const bool joins = is_one_of(call.kind, {"stack", "cat"});
    for (std::size_t k = 0; joins && k < call.operands.size(); ++k) {
        const std::size_t id = call.operands[k];
        const auto* const match = layer.match_of(id);
        if (match == nullptr || !match->row) {
            break;
        }
        if (*match->row != k) {
            return layer.maker(id)->reads([&](auto one) { return layer.is_weight(one); }) ? so_far.departs
                                                                                          : layer.made_at(id);
        }
    }
    return std::nullopt;
}

// Returns the call that moved heads, if they are in a wrong order before they are merged.
OptionalIndex mover_of_heads(const LayerMatch& layer, const LayerJudgement& so_far) {
    const RecordedCall& call = layer.calls[*so_far.departs];
    for (std::size_t id = call.operands.empty() ? layer.x : call.operands[0];
         call.kind == "layout" && layer.node_of(id) == layer.walks->context && layer.made_at(id);) {
        const RecordedCall& moves = *layer.maker(id);
        if (moves.kind != "layout") {
            break;
        }
        const RecordedTensor& before = layer.tensor(moves.operands[0]);
        const bool is_permuted =
            layer.tensor(id).shape != before.shape || layer.tensor(id).numbers != before.numbers;
        if (is_permuted && layer.tensor(id).size(-1) != before.size(-1)) {
            return layer.made_at(id);
        }
        id = moves.operands[0];
    }
    return std::nullopt;
}

// Returns the call that chose a wrong part. In a loop, all turns choose it alike, and other parts differ.
// Otherwise it is neither a head nor a row, and does not grow by one token per turn.
OptionalIndex chooser_of_wrong_part(const LayerMatch& layer, const LayerJudgement& so_far) {
    struct Chooser {
        std::size_t call;
        bool is_expected, differs;
    };
    const auto calls = layer.calls;
    std::vector<Chooser> choosers;
    std::set<std::size_t> heads;
    std::vector<std::size_t> pending = calls[*so_far.departs].operands;
    for (std::size_t at = 0; at < pending.size(); ++at) {
        const std::size_t id = pending[at];
        const auto maker = layer.made_at(id);
        if (!maker || layer.flow[id].roles == 0 ||
            std::ranges::find(pending, id) - pending.begin() != std::ptrdiff_t(at)) {
            continue;
        }
        const RecordedCall& made = calls[*maker];
        const auto* const match = layer.match_of(id);
        const bool is_whole = match != nullptr;
        if (is_whole && match->head) {
            heads.insert(*match->head);
        }
        if (made.kind != "layout" || made.operands.empty() || !layer.tensor(id).has_numbers ||
            layer.tensor(id).numbers.size() >= layer.tensor(made.operands[0]).numbers.size()) {
            if (made.kind == "layout" || !is_whole) {
                pending.insert(pending.end(), made.operands.begin(), made.operands.end());
            }
            continue;
        }
        if (made.results.size() > 1) {
            continue;
        }
        const Turns turns = turns_of(layer, made);
        choosers.push_back({*maker, is_whole || turns.grow, turns.differ});
    }
    const auto is_constant = [](const Chooser& one) { return !one.differs; };
    const auto is_odd = [](const Chooser& one) { return !one.is_expected; };
    if (choosers.size() > 1 && std::ranges::count_if(choosers, is_constant) == 1) {
        return std::ranges::find_if(choosers, is_constant)->call;
    }
    if (std::ranges::count_if(choosers, is_odd) == 1) {
        return std::ranges::find_if(choosers, is_odd)->call;
    }
    return choosers.size() == 1 && heads.size() == 2 ? std::optional(choosers[0].call) : std::nullopt;
}

// Returns the call that takes the same part of a fused projection for a second role.
OptionalIndex repeated_part(const LayerMatch& layer, const LayerJudgement& so_far) {
    const auto calls = layer.calls;
    for (std::size_t i = layer.first_call; layer.is_fused() && i < *so_far.departs; ++i) {
        const auto is_same = [&](const RecordedCall& other) {
            return other.kind == "layout" && other.operands == calls[i].operands &&
                   other.results.size() == 1 &&
                   layer.tensor(other.results[0]).numbers == layer.tensor(calls[i].results[0]).numbers;
        };
        if (layer.way.has[i] && calls[i].kind == "layout" &&
            std::ranges::any_of(std::span(calls).first(i), is_same) &&
            layer.tensor(calls[i].results[0]).numbers.size() * roles.size() ==
                layer.tensor(calls[i].operands[0]).numbers.size()) {
            return i;
        }
    }
    return std::nullopt;
}

// Returns the call that takes a part of a fused projection under the name of another role.
OptionalIndex part_named_as_other(const LayerMatch& layer, const LayerJudgement& so_far) {
    const auto calls = layer.calls;
    for (std::size_t i = layer.first_call; layer.is_fused() && i < *so_far.departs; ++i) {
        for (const std::size_t result : calls[i].results) {
            if (calls[i].kind == "layout" && layer.has_other_role(result) &&
                layer.tensor(result).numbers.size() < layer.tensor(calls[i].operands[0]).numbers.size()) {
                return i;
            }
        }
    }
    return std::nullopt;
}

}  // namespace attn
