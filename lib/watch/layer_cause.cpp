// Moves a departure from the call where numbers part to the earlier call, or the caller, that is its cause.
#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include "text/lists.hpp"
#include "watch/layer_comparison.hpp"
#include "watch/recorded_masks.hpp"
#include "watch/recorded_ops.hpp"

namespace attn {

// Returns the call that made wrong angles for a rotation.
OptionalIndex LayerComparison::cause_in_rotation(const RecordedCall& call) const {
    const StageTrace& trace = walks_->traces[0];
    const auto table = trace.find("cos");
    if (!table) {
        return std::nullopt;
    }
    const std::vector<RecordedCall>& calls = recording_->calls;
    const Tensor& right = trace.node(*table).value;
    const std::size_t half = right.size(-1), n = right.size(-2);
    for (const std::size_t operand : call.operands) {
        std::size_t id = operand;
        while (!is_moving(id) && made_at(id) && !maker(id)->operands.empty() &&
               !is_one_of(maker(id)->op, {"cos", "sin"}) &&
               is_one_of(maker(id)->kind, {"layout", "cat", "repeat_interleave", "repeat"})) {
            id = maker(id)->operands[0];
        }
        const auto turns = is_moving(id) ? std::nullopt : made_at(id);
        if (!turns || !is_one_of(calls[*turns].op, {"cos", "sin"})) {
            continue;
        }
        // The columns of the right angles: one for each pair, or one for each feature.
        const auto is_right = [&](std::size_t angles, bool is_wide) {
            const RecordedTensor& own = tensor(angles);
            const std::size_t columns = is_wide ? 2 * half : half;
            if (!own.has_numbers || own.size(-1) != columns || own.numbers.size() < n * columns) {
                return false;
            }
            for (std::size_t at = 0; at < n * columns; ++at) {
                const std::size_t column = at % columns;
                const std::size_t pair = !is_wide ? column : walks_->is_halved ? column % half : column / 2;
                const double own_cosine = std::cos(static_cast<double>(own.numbers[at]));
                if (!(std::abs(own_cosine - static_cast<double>(right.values()[at / columns * half + pair])) <
                      1e-3)) {
                    return false;
                }
            }
            return true;
        };
        std::size_t angles = calls[*turns].operands[0];
        if (!found_->past.empty() || !tensor(angles).has_numbers || tensor(angles).shape.size() < 2 ||
            tensor(angles).numbers.size() < n * half || is_right(angles, false) || is_right(angles, true)) {
            continue;
        }
        auto maker = made_at(angles);
        while (maker && !calls[*maker].operands.empty()) {
            const std::size_t before = calls[*maker].operands[0];
            if (is_right(before, false) ||
                !is_one_of(calls[*maker].kind, {"layout", "cat", "repeat_interleave", "repeat", "stack"})) {
                break;
            }
            maker = made_at(before);
        }
        for (const std::size_t factor : maker ? calls[*maker].operands : std::vector<std::size_t>()) {
            const RecordedTensor& positions = tensor(factor);
            bool counts = positions.numbers.size() == n && n != half;
            for (std::size_t i = 0; i + 1 < positions.numbers.size() && counts; ++i) {
                counts = positions.numbers[i] <= positions.numbers[i + 1];
            }
            const bool is_wrong = counts && (positions.numbers[0] != 0.0F ||
                                             positions.numbers.back() != static_cast<float>(n - 1) ||
                                             positions.numbers[1] != 1.0F);
            for (std::size_t origin = factor; is_wrong && made_at(origin);) {
                maker = made_at(origin);
                if (calls[*maker].kind != "layout" || calls[*maker].operands.empty()) {
                    break;
                }
                origin = calls[*maker].operands[0];
            }
        }
        return maker;
    }
    return std::nullopt;
}

// Returns the call that made positions for the newest tokens that do not follow those of the cache. The
// angles of the first pair are the positions.
OptionalIndex LayerComparison::maker_of_wrong_positions() const {
    const std::vector<RecordedCall>& calls = recording_->calls;
    const std::vector<std::size_t>& x = tensor(found_->x).shape;
    const std::size_t count = x.size() < 2 ? 1 : x[x.size() - 2];
    const auto table = walks_->traces[0].find("cos");
    if (found_->past.empty() || !table || count >= walks_->n) {
        return std::nullopt;
    }
    std::size_t first = 0;
    for (const std::size_t id : found_->past) {
        first += tensor(id).shape.size() < 2 ? 1 : tensor(id).size(-2);
    }
    const std::size_t half = walks_->traces[0].node(*table).value.size(-1);
    const auto is_wrong = [&](std::size_t id) {
        const RecordedTensor& own = tensor(id);
        const std::size_t columns = own.numbers.size() / count;
        bool counts = own.has_numbers && own.numbers.size() == columns * count && columns > 0 &&
                      own.numbers[0] != static_cast<float>(first);
        for (std::size_t i = 0; i < count && counts; ++i) {
            counts = own.numbers[i * columns] == own.numbers[0] + static_cast<float>(i);
        }
        return counts;
    };
    for (std::size_t i = found_->first_call; i < found_->end; ++i) {
        const std::size_t size = calls[i].operands.empty() ? 0 : tensor(calls[i].operands[0]).numbers.size();
        if (!on_way_[i] || calls[i].op != "cos" || (size != count * half && size != 2 * count * half) ||
            !is_wrong(calls[i].operands[0])) {
            continue;
        }
        OptionalIndex maker = i;
        for (bool goes_on = true; goes_on;) {
            const std::vector<std::size_t>& from = calls[*maker].operands;
            const auto positions = std::ranges::find_if(from, [&](std::size_t id) {
                return made_at(id) && is_wrong(id) &&
                       tensor(id).numbers[0] == tensor(calls[i].operands[0]).numbers[0];
            });
            goes_on = positions != from.end();
            maker = goes_on ? made_at(*positions) : maker;
        }
        return maker;
    }
    return std::nullopt;
}

// Returns the call that made the mask of a call, if the mask hides nothing or has wrong values. A mask to add
// has 0 and a very negative number; one for SDPA is true for tokens that are seen.
OptionalIndex LayerComparison::maker_of_wrong_mask(std::size_t at) const {
    const RecordedCall& call = recording_->calls[at];
    const bool fused = is_sdpa(call);
    const bool fills = call.kind == "masked_fill";
    if (call.results.empty() || !is_moving(call.results[0])) {
        return std::nullopt;
    }
    for (const std::size_t id : call.operands) {
        const RecordedTensor& mask = tensor(id);
        const auto maker = made_at(id);
        if (is_moving(id) || found_->is_weight(id) || !maker || mask.numbers.empty() ||
            has_many_values(mask) ||
            (!fills && !flow_[id].is_mask && !(std::ranges::min(mask.numbers) < -1e3F))) {
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
        const bool is_wrong = (is_fill ? own > -1e3F : least == most) ||
                              (adds && (own != 0.0F || least > -1e3F)) || (fused && is_truth && own == 0.0F);
        std::size_t cause = *maker;
        while (least == most && mask.numbers.size() > 1 && recording_->calls[cause].operands.size() == 1 &&
               !is_unrelated(recording_->calls[cause].op) && made_at(recording_->calls[cause].operands[0])) {
            cause = *made_at(recording_->calls[cause].operands[0]);  // of ~mask, that of the mask
        }
        if (is_wrong && (fills ? mask.numbers.size() == 1 || recording_->calls[cause].operands.size() > 1
                               : may_be_causal_mask(mask))) {
            return cause;
        }
    }
    return std::nullopt;
}

// Returns the call that chose a wrong part. In a loop, all turns choose it alike, and other parts differ.
// Otherwise it is neither a head nor a row, and does not grow by one token per turn.
OptionalIndex LayerComparison::chooser_of_wrong_part(std::size_t departs) const {
    struct Chooser {
        std::size_t call;
        bool is_whole, varies;
    };
    const std::vector<RecordedCall>& calls = recording_->calls;
    std::vector<Chooser> choosers;
    std::set<std::size_t> heads;
    std::vector<std::size_t> pending = calls[departs].operands;
    for (std::size_t at = 0; at < pending.size(); ++at) {
        const std::size_t id = pending[at];
        const auto maker = made_at(id);
        if (!maker || flow_[id].roles == 0 ||
            std::ranges::find(pending, id) - pending.begin() != std::ptrdiff_t(at)) {
            continue;
        }
        const RecordedCall& made = calls[*maker];
        const auto* const match = match_of(id);
        const bool is_whole = match != nullptr;
        if (is_whole && match->head) {
            heads.insert(*match->head);
        }
        if (made.kind != "layout" || made.operands.empty() || !tensor(id).has_numbers ||
            tensor(id).numbers.size() >= tensor(made.operands[0]).numbers.size()) {
            if (made.kind == "layout" || !is_whole) {
                pending.insert(pending.end(), made.operands.begin(), made.operands.end());
            }
            continue;
        }
        if (made.results.size() > 1) {
            continue;
        }
        std::vector<std::size_t> turns;
        bool varies = false;
        for (const RecordedCall& other : calls) {
            if (other.repeats(made) && other.results.size() == 1 && other.text == made.text &&
                other.operands == made.operands) {
                const RecordedTensor& turn = tensor(other.results[0]);
                varies = varies || turn.numbers != tensor(id).numbers;
                turns.push_back(turn.shape.empty() ? 0 : turn.shape[0]);
            }
        }
        bool grows = turns.size() > 1;
        for (std::size_t i = 0; i < turns.size(); ++i) {
            grows = grows && turns[i] == i + 1;
        }
        choosers.push_back({*maker, is_whole || grows, varies || turns.size() == 1});
    }
    const auto is_constant = [](const Chooser& one) { return !one.varies; };
    const auto is_odd = [](const Chooser& one) { return !one.is_whole; };
    if (choosers.size() > 1 && std::ranges::count_if(choosers, is_constant) == 1) {
        return std::ranges::find_if(choosers, is_constant)->call;
    }
    if (std::ranges::count_if(choosers, is_odd) == 1) {
        return std::ranges::find_if(choosers, is_odd)->call;
    }
    return choosers.size() == 1 && heads.size() == 2 ? std::optional(choosers[0].call) : std::nullopt;
}

// Returns the first call with a symmetric result, for a mask that hides earlier and later tokens alike.
OptionalIndex LayerComparison::maker_of_symmetry(std::size_t at) const {
    OptionalIndex maker;
    for (std::vector<std::size_t> next = recording_->calls[at].results; !next.empty();) {
        const auto found = std::ranges::find_if(
            next, [&](std::size_t id) { return !is_moving(id) && is_symmetric(tensor(id)); });
        if (found == next.end() || !made_at(*found)) {
            break;
        }
        maker = made_at(*found);
        next = recording_->calls[*maker].operands;
    }
    return maker;
}

// Returns the call that made the first wrong one of rows in a wrong order, or the call that joins them if a
// projection made it.
OptionalIndex LayerComparison::maker_of_wrong_row(std::size_t at) const {
    const RecordedCall& call = recording_->calls[at];
    const bool joins = is_one_of(call.kind, {"stack", "cat"});
    for (std::size_t k = 0; joins && k < call.operands.size(); ++k) {
        const std::size_t id = call.operands[k];
        const auto* const match = match_of(id);
        if (match == nullptr || !match->row) {
            break;
        }
        if (*match->row != k) {
            return maker(id)->reads([&](auto one) { return found_->is_weight(one); }) ? at : made_at(id);
        }
    }
    return std::nullopt;
}

// Returns the call that repeats masks of sequences in the order of heads, or the other way round.
OptionalIndex LayerComparison::repeat_of_masks(std::size_t at) const {
    const RecordedCall& call = recording_->calls[at];
    for (const std::size_t id : call.operands) {
        const auto maker = made_at(recording_->before(id, is_layout));
        if (maker && flow_[id].roles == 0 && is_moving(call.results[0]) &&
            is_one_of(recording_->calls[*maker].kind, {"repeat", "repeat_interleave"})) {
            return maker;
        }
    }
    return std::nullopt;
}

OptionalIndex LayerComparison::cause_in_rotations(std::size_t at) const {
    OptionalIndex cause;
    for (std::size_t i = found_->first_call; i <= at && !walks_->has_replaced() && !cause; ++i) {
        const RecordedCall& call = recording_->calls[i];
        const bool is_own = flow_[call.results.empty() ? found_->x : call.results[0]].roles != 0;
        cause = on_way_[i] && is_own ? cause_in_rotation(call) : std::nullopt;
    }
    return cause;
}

// Returns the call that moved heads, if they are in a wrong order before they are merged.
OptionalIndex LayerComparison::mover_of_heads(std::size_t at) const {
    const RecordedCall& call = recording_->calls[at];
    for (std::size_t id = call.operands.empty() ? found_->x : call.operands[0];
         call.kind == "layout" && node_of(id) == walks_->context && made_at(id);) {
        const RecordedCall& moves = *maker(id);
        if (moves.kind != "layout") {
            break;
        }
        const RecordedTensor& before = tensor(moves.operands[0]);
        const bool is_permuted = tensor(id).shape != before.shape || tensor(id).numbers != before.numbers;
        if (is_permuted && tensor(id).size(-1) != before.size(-1)) {
            return made_at(id);
        }
        id = moves.operands[0];
    }
    return std::nullopt;
}

// Returns the last call of a detour that should have ended before this call.
OptionalIndex LayerComparison::end_of_detour(std::size_t at) const {
    const std::vector<RecordedCall>& calls = recording_->calls;
    const StageTrace& trace = walks_->traces[0];
    for (const std::size_t id : calls[at].operands) {
        const auto is = [&](const OptionalIndex& node) {
            return node && node_of(id) && identical(trace.node(*node_of(id)).value, trace.node(*node).value);
        };
        const bool multiplies = calls[at].kind == "matmul" && !is(walks_->softmax);
        const bool is_unmasked = multiplies && is(walks_->unmasked);
        const bool is_zeroed =
            multiplies && is(walks_->zeroed) &&
            std::ranges::count_if(calls, [&](const RecordedCall& use) {
                return on_way_[static_cast<std::size_t>(&use - calls.data())] && contains(use.operands, id);
            }) == 1;
        const bool is_scaled = is_sdpa(calls[at]) && node_of(id) && contains(walks_->prescaled, *node_of(id));
        if ((!is_unmasked && !is_zeroed && !is_scaled) || !made_at(id)) {
            continue;
        }
        std::size_t cause = *made_at(id);
        for (std::size_t i = found_->first_call; is_unmasked && i < at; ++i) {
            const bool masks = calls[i].kind == "masked_fill" ||
                               calls[i].reads([&](auto one) { return flow_[one].is_mask; });
            cause = masks && !calls[i].results.empty() && flow_[calls[i].results[0]].roles != 0 ? i : cause;
        }
        if (is_scaled) {
            return made_at(recording_->before(id, is_layout));
        }
        return is_unmasked ? maker_of_wrong_mask(cause).value_or(cause) : cause;
    }
    return std::nullopt;
}

// Returns the call that takes the same part of a fused projection for a second role.
OptionalIndex LayerComparison::repeated_part(std::size_t at) const {
    const std::vector<RecordedCall>& calls = recording_->calls;
    for (std::size_t i = found_->first_call; found_->is_fused() && i < at; ++i) {
        const auto is_same = [&](const RecordedCall& other) {
            return other.kind == "layout" && other.operands == calls[i].operands &&
                   other.results.size() == 1 &&
                   tensor(other.results[0]).numbers == tensor(calls[i].results[0]).numbers;
        };
        if (on_way_[i] && calls[i].kind == "layout" &&
            std::ranges::any_of(std::span(calls).first(i), is_same) &&
            tensor(calls[i].results[0]).numbers.size() * roles.size() ==
                tensor(calls[i].operands[0]).numbers.size()) {
            return i;
        }
    }
    return std::nullopt;
}

// Returns true if a tensor has the name of one role, and the numbers of another.
bool LayerComparison::has_other_role(std::size_t id) const {
    const auto node = node_of(id);
    RecordedTensor right;
    right.names = {node && made_at(id) ? name_of_node(*node) : ""};
    const auto named = role_of(tensor(id)), role = role_of(right);
    return named && role && named->role != role->role;
}

// Returns the call that takes a part of a fused projection under the name of another role.
OptionalIndex LayerComparison::part_named_as_other(std::size_t at) const {
    const std::vector<RecordedCall>& calls = recording_->calls;
    for (std::size_t i = found_->first_call; found_->is_fused() && i < at; ++i) {
        for (const std::size_t result : calls[i].results) {
            if (calls[i].kind == "layout" && has_other_role(result) &&
                tensor(result).numbers.size() < tensor(calls[i].operands[0]).numbers.size()) {
                return i;
            }
        }
    }
    return std::nullopt;
}

// Moves the departure from the call where numbers part to an earlier one that is their cause.
void LayerComparison::move_to_cause() {
    using Cause = OptionalIndex (LayerComparison::*)(std::size_t at) const;
    constexpr Cause causes[] = {&LayerComparison::maker_of_wrong_row, &LayerComparison::maker_of_wrong_mask,
                                &LayerComparison::repeat_of_masks,    &LayerComparison::cause_in_rotations,
                                &LayerComparison::maker_of_symmetry,  &LayerComparison::mover_of_heads,
                                &LayerComparison::end_of_detour,      &LayerComparison::chooser_of_wrong_part,
                                &LayerComparison::repeated_part,      &LayerComparison::part_named_as_other};
    for (const Cause cause : causes) {
        if (const auto found = departs_ ? (this->*cause)(*departs_) : std::nullopt) {
            departs_ = found;
            return;
        }
    }
}

// Returns true if a function is given queries, keys or values under the name of another role.
bool LayerComparison::takes_other_role(const RecordedCall& call) const {
    const auto same = [](const auto& a, const auto& b) { return a.line == b.line && a.file == b.file; };
    const auto is_here = [&](const RecordedCall& made) {
        return std::ranges::equal(made.callers, call.callers, same);
    };
    return !call.callers.empty() && std::ranges::any_of(call.operands, [&](std::size_t operand) {
        std::size_t id = operand;
        while (made_at(id) && is_here(*maker(id)) && !maker(id)->operands.empty()) {
            id = maker(id)->operands[0];
        }
        return has_other_role(id);
    });
}

// Returns true if the line that calls the call's function calls it again: q, k = turn(q), turn(k)
bool LayerComparison::calls_twice(const RecordedCall& call) {
    const std::string text = call.callers.empty() ? "" : call.callers[0].text;
    const std::string function = call.callers.empty() ? "" : call.callers[0].function + "(";
    const std::size_t first = text.find(function);
    return first != std::string::npos && text.find(function, first + 1) != std::string::npos;
}

// A function that is right for other operands is not wrong itself: the line that calls it is, also if it
// calls it with both. With a cache, the function may be right for the first tokens only.
void LayerComparison::move_to_caller() {
    const auto same = [](const auto& a, const auto& b) { return a.line == b.line && a.file == b.file; };
    if (departs_ && takes_other_role(recording_->calls[*departs_])) {
        caller_ = 0;
    }
    for (std::size_t i = 0; departs_ && found_->past.empty() && i < found_->end && !caller_; ++i) {
        const RecordedCall& wrong = recording_->calls[*departs_];
        const RecordedCall& other = recording_->calls[i];
        const bool is_right = comes_right_[i] || std::ranges::any_of(other.results, [&](std::size_t id) {
                                  return matches_.contains(id) && !matches_.at(id).row;
                              });
        if (i == departs_ || !is_right || !same(wrong, other) || other.op != wrong.op ||
            matches_.contains(wrong.results[0])) {
            continue;
        }
        const bool is_of_other_role = i < *departs_ && !other.operands.empty() && !wrong.operands.empty() &&
                                      flow_[other.operands[0]].roles != flow_[wrong.operands[0]].roles;
        if (is_of_other_role && std::ranges::equal(wrong.callers, other.callers, same) &&
            calls_twice(wrong)) {
            caller_ = 0;
        }
        const auto differs = std::ranges::mismatch(wrong.callers, other.callers, same);
        if (differs.in1 != wrong.callers.end() && differs.in2 != other.callers.end()) {
            caller_ = static_cast<std::size_t>(differs.in1 - wrong.callers.begin());
        }
    }
}

}  // namespace attn
