#include "diagnosis/layer_comparison.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "diagnosis/call_difference.hpp"
#include "diagnosis/recorded_masks.hpp"
#include "diagnosis/recorded_ops.hpp"
#include "notebook/render.hpp"

namespace attn {

namespace {

// Walked tensors with more numbers are compared as wholes only.
constexpr std::size_t most_sorted = std::size_t{1} << 18U;
constexpr std::size_t least_part = 4;  // fewer numbers are too few to be recognised

}  // namespace

LayerComparison::LayerComparison(const Recording& recording,
                                 const std::vector<std::optional<std::size_t>>& makers,
                                 const AttentionLayer& found, const LayerWalks& walks)
    : recording_(&recording),
      makers_(&makers),
      found_(&found),
      walks_(&walks),
      flow_(follow(recording, makers, found)) {
    match_results();
    find_late_departure();
    find_departure();
    find_departures_beside();
    find_dropout_in_eval_mode();
    move_to_cause();
    move_to_caller();
}

// Accepts weights times random zeros if the others are scaled up.
void LayerComparison::find_handmade_dropout(std::size_t result) {
    std::size_t id = result;
    bool random = false;
    for (int steps = 0; steps < 4 && (*makers_)[id]; ++steps) {
        const RecordedCall& call = recording_->calls[*(*makers_)[id]];
        random = random ||
                 std::ranges::any_of(call.operands, [&](auto operand) { return flow_[operand].is_random; });
        const auto next =
            std::ranges::find_if(call.operands, [&](auto operand) { return is_moving(operand); });
        if (next == call.operands.end() || call.kind == "matmul") {
            return;
        }
        id = *next;
        const auto match = matches_.find(id);
        if (match == matches_.end() || match->second.node != walks_->softmax) {
            continue;
        }
        const std::vector<float>& before = tensor(id).numbers;
        const std::vector<float>& after = tensor(result).numbers;
        double scale = 0.0;
        bool agrees = random && before.size() == after.size();
        for (std::size_t i = 0; agrees && i < after.size(); ++i) {
            if (after[i] != 0.0F && before[i] != 0.0F) {
                const double ratio = static_cast<double>(after[i]) / static_cast<double>(before[i]);
                scale = scale == 0.0 ? ratio : scale;
                agrees = std::abs(ratio - scale) <= 1e-4 * scale;
            }
        }
        if (agrees && scale > 1.001) {
            matches_.emplace(result, match->second);
            drop_ = result;
        }
        return;
    }
}

// Returns true for dropout whose result keeps or drops each number.
bool LayerComparison::keeps_or_drops(const RecordedCall& call) const {
    if (call.op.find("dropout") == std::string::npos || call.operands.empty()) {
        return false;
    }
    const RecordedTensor& before = tensor(call.operands[0]);
    const RecordedTensor& after = tensor(call.results[0]);
    const double p = call.number("p", call.number("", 0.0));
    bool agrees = before.numbers.size() == after.numbers.size() && !after.numbers.empty() && p < 1.0;
    for (std::size_t i = 0; agrees && i < after.numbers.size(); ++i) {
        const double kept = static_cast<double>(before.numbers[i]) / (1.0 - p);
        agrees = after.numbers[i] == 0.0F || std::abs(static_cast<double>(after.numbers[i]) - kept) <=
                                                 flow_[call.results[0]].rounding * std::abs(kept);
    }
    return agrees;
}

void LayerComparison::match_results() {
    const std::size_t output = walks_->output;
    const auto roles_of = [&](const ValueMatch& match) {
        return std::ranges::find(walks_->tensors, match.node, &WalkedTensor::node)->roles;
    };
    std::vector<WalkedTensor> walked_outputs;
    std::ranges::copy_if(walks_->tensors, std::back_inserter(walked_outputs),
                         [&](const WalkedTensor& one) { return one.node == output && !one.head; });
    for (std::size_t i = 0; i < found_->end; ++i) {
        const RecordedCall& call = recording_->calls[i];
        for (const std::size_t result : call.results) {
            if ((*makers_)[result] != i || !is_moving(result) || found_->is_input(result)) {
                continue;
            }
            for (const std::size_t operand :
                 is_unrelated(call.op) ? std::vector<std::size_t>() : call.operands) {
                flow_[result].needs |= flow_[operand].needs;
            }
            // A part of a wrong tensor is right by chance, such as the first row behind a mask.
            if (call.kind == "layout" && !call.operands.empty() && flow_[call.operands[0]].needs != 0 &&
                tensor(result).numbers.size() < tensor(call.operands[0]).numbers.size() &&
                !is_right_tensor(call.operands[0])) {
                continue;
            }
            auto match = match_value(tensor(result), walks_->tensors, flow_[result].rounding,
                                     flow_[result].needs, true);
            const bool is_chance =  // equal to the inputs, although it comes from a projection
                match && flow_[result].roles != 0 && !found_->is_simplified && roles_of(*match) == 0;
            if (match && !is_chance) {
                const auto whole = match_value(tensor(result), walked_outputs, flow_[result].rounding,
                                               flow_[result].needs, flow_[result].is_row);
                flow_[result].needs |= roles_of(*match);
                if (flow_[result].roles == flow_.used && whole && !whole->is_permuted) {
                    is_right_ = true;
                    outputs_.push_back(result);
                }
                matches_.emplace(result, *std::move(match));
            } else if (const auto before =
                           call.operands.empty() ? matches_.end() : matches_.find(call.operands[0]);
                       before != matches_.end() && flow_[result].roles != 0 && keeps_or_drops(call) &&
                       (before->second.node == walks_->softmax || before->second.node == output)) {
                matches_.emplace(result, before->second);
                if (before->second.node == walks_->softmax) {
                    drop_ = result;
                } else {
                    is_right_ = true;
                    outputs_.push_back(result);
                }
            } else if (flow_[result].roles != 0) {
                find_handmade_dropout(result);
                if (!matches_.contains(result) && is_part(result, call)) {
                    parts_.insert(result);
                }
            }
        }
    }
}

// Returns true if all numbers are in one walked tensor. One that has as many numbers must have them in the
// same order.
bool LayerComparison::is_part(std::size_t id, const RecordedCall& maker) {
    const RecordedTensor& part = tensor(id);
    const bool moves = maker.kind == "layout" && !maker.operands.empty();
    if (!part.has_numbers || part.numbers.empty()) {
        return false;
    }
    if (part.numbers.size() < least_part) {
        return moves && is_right_tensor(maker.operands[0]);
    }
    bool found = false;
    for (const WalkedTensor& one : walks_->tensors) {
        if (one.numbers.size() > most_sorted || (one.roles != 0 && (flow_[id].needs & ~one.roles) != 0)) {
            continue;
        }
        const auto [sorted, is_new] = sorted_.try_emplace(one.node, one.numbers);
        if (is_new) {
            std::ranges::sort(sorted->second);
        }
        if (sorted->second.size() == one.numbers.size() &&
            is_among(part, sorted->second, flow_[id].rounding)) {
            if (one.numbers.size() == part.numbers.size()) {
                return false;
            }
            found = true;
        }
    }
    return found;
}

std::optional<std::vector<float>> LayerComparison::dropped_weights() const {
    if (!drop_ || found_->is_joined()) {
        return std::nullopt;
    }
    const ValueMatch& match = matches_.at(*drop_);
    const auto walked = std::ranges::find(walks_->tensors, match.node, &WalkedTensor::node);
    if (walked->numbers.size() != tensor(*drop_).numbers.size()) {  // of one head or sequence
        return std::nullopt;
    }
    return in_walked_order(tensor(*drop_), *walked, match);
}

bool LayerComparison::is_right_tensor(std::size_t id) const {
    if (!(*makers_)[id] || found_->is_input(id)) {
        return true;
    }
    if (std::ranges::any_of(found_->by_role, [&](const auto& one) {
            return one.second.result == id && (one.first == 'f' || one.second.parts > 1);
        })) {
        return true;
    }
    if (flow_[id].is_foreign) {
        return false;
    }
    if (!tensor(id).has_numbers || is_outer(recording_->calls[*(*makers_)[id]])) {  // complex numbers
        return std::ranges::all_of(recording_->calls[*(*makers_)[id]].operands,
                                   [&](std::size_t operand) { return is_right_tensor(operand); });
    }
    if (tensor(id).numbers.size() == 1 && flow_[id].roles != 0) {
        const RecordedCall& part = recording_->calls[*(*makers_)[id]];  // one number of a right tensor
        return part.kind == "layout" && !part.operands.empty() && matches_.contains(part.operands[0]);
    }
    return is_moving(id) ? matches_.contains(id) || parts_.contains(id) || flow_[id].roles == 0
                         : !flow_[id].is_mask || flow_[id].is_random || may_be_causal_mask(tensor(id));
}

// Returns true for queries, keys or values that the walk has not: it is not that of the reader's code.
bool LayerComparison::is_projection(std::size_t id) const {
    const auto is_own = [&](const auto& one) {
        const Projection& p = one.second;
        const std::vector<std::size_t>& operands = recording_->calls[p.call].operands;
        const bool has_bias = !p.bias || p.result != recording_->calls[p.call].results[0] ||
                              std::ranges::find(operands, *p.bias) != operands.end();
        return p.is_used && p.result == id && has_bias;
    };
    return found_->is_joined() && (std::ranges::any_of(found_->by_role, is_own) ||
                                   std::ranges::any_of(found_->past_by_role, is_own));
}

// Returns true for products of all pairs of numbers, which code sums afterwards.
bool LayerComparison::is_outer(const RecordedCall& call) const {
    return call.kind == "scale" && call.operands.size() == 2 &&
           std::ranges::all_of(call.operands, [&](std::size_t id) {
               return is_moving(id) && tensor(id).numbers.size() < tensor(call.results[0]).numbers.size();
           });
}

std::size_t LayerComparison::right_calls() const {
    std::size_t count = 0;
    for (const auto& [id, match] : matches_) {
        count += flow_[id].roles != 0;
    }
    return count;
}

// Returns true for a residual connection within a class of attention without normalisation: the chapter adds
// nothing to the output.
bool LayerComparison::adds_inputs(std::size_t at) const {
    const RecordedCall& call = recording_->calls[at];
    return call.op == "add" && call.module.find("Attention") != std::string::npos &&
           std::ranges::find(call.operands, found_->x) != call.operands.end() &&
           call.module == recording_->calls[found_->first_call].module &&
           std::none_of(recording_->calls.begin() + static_cast<std::ptrdiff_t>(at), recording_->calls.end(),
                        [&](const RecordedCall& next) {
                            return next.module == call.module && next.op.find("norm") != std::string::npos;
                        });
}

// Returns the cause if the call adds normalised inputs as a residual connection, and a branch normalises the
// sum again. The norm is the cause if its result replaces its operand.
std::optional<std::size_t> LayerComparison::norm_of_residual(std::size_t at) const {
    const std::vector<RecordedCall>& calls = recording_->calls;
    const auto is_norm = [](const RecordedCall& call) { return call.op.find("norm") != std::string::npos; };
    const auto norm = (*makers_)[found_->x];
    if (!norm || !is_norm(calls[*norm]) || !is_one_of(calls[at].kind, {"add", "radd", "iadd"}) ||
        std::ranges::find(calls[at].operands, found_->x) == calls[at].operands.end()) {
        return std::nullopt;
    }
    bool is_normalised = false, is_added = false;
    for (std::size_t i = at + 1; i < calls.size(); ++i) {
        if (std::ranges::find(calls[i].operands, calls[at].results[0]) != calls[i].operands.end()) {
            is_normalised = is_normalised || is_norm(calls[i]);
            is_added = is_added || is_one_of(calls[i].kind, {"add", "radd", "iadd"});
        }
    }
    const bool replaces = std::ranges::all_of(tensor(found_->x).names, [&](const std::string& name) {
        const std::vector<std::string>& before = tensor(calls[*norm].operands[0]).names;
        return calls[*norm].module.empty() == calls[at].module.empty() &&
               std::ranges::find(before, name) != before.end() && calls[*norm].file == calls[at].file &&
               calls[*norm].module == calls[at].module;
    });
    return !is_normalised || !is_added ? std::nullopt : std::optional(replaces ? *norm : at);
}

// Finds a call behind the right output that joins it with another tensor of the layer, or multiplies it by
// one of the layer's weights.
void LayerComparison::find_late_departure() {
    std::set<std::size_t> after(outputs_.begin(), outputs_.end());
    for (std::size_t i = 0; i < found_->end && !departs_; ++i) {
        const RecordedCall& call = recording_->calls[i];
        const auto is_after = [&](std::size_t id) { return after.contains(id); };
        if (call.results.empty() || after.contains(call.results[0]) ||
            std::ranges::none_of(call.operands, is_after)) {
            continue;
        }
        const bool joins = std::ranges::any_of(call.operands, [&](std::size_t id) {
            return !is_after(id) &&
                   (found_->is_weight(id) || (matches_.contains(id) && flow_[id].roles != 0));
        });
        const auto norm = norm_of_residual(i);
        if (joins || norm || adds_inputs(i)) {
            departs_ = norm.value_or(i);
            is_right_ = false;
        } else if (call.kind == "layout" || call.op.find("dropout") != std::string::npos) {
            after.insert(call.results.begin(), call.results.end());
        }
    }
}

void LayerComparison::find_departure() {
    const std::vector<RecordedCall>& calls = recording_->calls;
    on_way_.assign(calls.size(), false);
    comes_right_.assign(calls.size(), false);
    is_other_.assign(recording_->tensors.size(), false);
    // The output is the last result that depends on most projections.
    std::optional<std::size_t> last;
    int most = 0;
    if (!outputs_.empty()) {
        last = (*makers_)[outputs_.back()];
    }
    for (std::size_t i = found_->first_call; i < found_->end && outputs_.empty(); ++i) {
        for (const std::size_t result : calls[i].results) {
            const int bits = std::popcount(flow_[result].roles);
            if (bits >= most && bits > 0 && (*makers_)[result] == i) {
                most = bits;
                last = i;
            }
        }
    }
    if (!last) {
        return;
    }
    std::vector<std::size_t> pending{*last};
    on_way_[*last] = true;
    while (!pending.empty()) {
        const RecordedCall& call = calls[pending.back()];
        pending.pop_back();
        for (const std::size_t operand : call.operands) {
            const auto maker = (*makers_)[operand];
            if (!found_->is_input(operand) && !found_->is_weight(operand) && maker && !on_way_[*maker]) {
                on_way_[*maker] = true;
                pending.push_back(*maker);
            }
        }
    }
    follow_right_results(on_way_, *last + 1);
    // The rows of a fused projection may have an order that no walk has; then no part is right.
    // What the stages do not have before the context vectors: line, operation and weights.
    std::set<std::tuple<std::size_t, std::string, unsigned>> foreign;
    for (std::size_t i = 0; i <= *last; ++i) {
        const RecordedCall& call = calls[i];
        if (on_way_[i] && !comes_right_[i] && !call.operands.empty() && flow_[call.results[0]].roles != 0 &&
            !matches_.contains(call.results[0]) && !flow_[call.operands[0]].is_context &&
            is_foreign(call.kind)) {
            foreign.emplace(call.line, call.op, flow_[call.operands[0]].needs);
        }
    }
    const bool is_followed = !found_->is_fused() || found_->heads || right_calls() > 0;
    for (std::size_t i = 0; i <= *last && is_followed && !is_right_ && !departs_; ++i) {
        bool is_other = pads_keys(calls[i]) ||
                        std::ranges::any_of(calls[i].operands, [&](auto id) { return is_other_[id]; });
        if (on_way_[i] && pads_keys(calls[i])) {
            differs_.push_back(i);
        }
        if (on_way_[i] && !is_other && departs_at(i)) {
            const bool is_one = foreign.size() + (is_foreign(calls[i].kind) ? 0 : 1) < 2;
            is_other = is_projection(calls[i].results[0]) || !is_of_stage(calls[i]) ||
                       (!is_one && !normalises_other_axis(calls[i]));
            if (is_other) {
                differs_.push_back(i);
            } else {
                departs_ = i;
            }
        }
        for (const std::size_t result : calls[i].results) {
            is_other_[result] = is_other_[result] || is_other;
        }
    }
    const bool has_output =
        std::ranges::any_of(calls[*last].results, [&](std::size_t id) { return matches_.contains(id); });
    is_right_ = is_right_ || (!departs_ && has_output && most == std::popcount(flow_.used));
    if (!is_right_) {
        const auto positions = maker_of_first_positions();
        departs_ = positions ? positions : departs_;
    }
    for (std::size_t i = found_->first_call; i <= *last && !is_right_ && !departs_ && differs_.empty(); ++i) {
        const std::vector<std::size_t>& results = calls[i].results;
        if (on_way_[i] && !comes_right_[i] && flow_[results[0]].roles != 0 && !is_right_tensor(results[0])) {
            differs_.push_back(i);
        }
    }
    for (std::size_t i = differs_.empty() ? calls.size() : differs_[0] + 1; i <= *last; ++i) {
        const RecordedCall& call = calls[i];
        if (foreign.contains(
                {call.line, call.op, call.operands.empty() ? 0U : flow_[call.operands[0]].needs})) {
            differs_.push_back(i);
        }
    }
    const bool unused = found_->out_proj && found_->out_proj->result == found_->x;
    if (is_right_ && outputs_.empty() && unused && !calls[*last].module.empty() &&
        calls[*last].kind == "layout") {
        departs_ = *last;  // the heads are merged, and their projection is missing
        is_right_ = false;
    }
}

// Marks the calls with a right result behind them.
void LayerComparison::follow_right_results(const std::vector<bool>& chosen, std::size_t end) {
    comes_right_.assign(recording_->calls.size(), false);
    std::vector<bool> tensor_comes_right(recording_->tensors.size());
    for (std::size_t i = end; i-- > 0;) {
        const RecordedCall& call = recording_->calls[i];
        if (!chosen[i]) {
            continue;
        }
        bool after = false;
        bool here = false;
        for (const std::size_t result : call.results) {
            after = after || tensor_comes_right[result];
            const auto match = matches_.find(result);
            here = here || (match != matches_.end() && !match->second.is_swapped && flow_[result].roles != 0);
        }
        comes_right_[i] = after;
        for (const std::size_t operand : call.operands) {
            tensor_comes_right[operand] = tensor_comes_right[operand] || after || here;
        }
    }
}

// Returns true if PyTorch's module is given padding of keys, which is the reader's own: a mask of batch and
// tokens, or a second one.
bool LayerComparison::pads_keys(const RecordedCall& call) const {
    if (call.op != "multi_head_attention_forward") {
        return false;
    }
    std::size_t masks = 0;
    bool is_padding = false;
    for (const std::size_t id : call.operands) {
        const std::vector<std::size_t>& shape = tensor(id).shape;
        if (shape.size() > 1 && !tensor(id).is_parameter && !found_->is_weight(id) && !is_moving(id)) {
            ++masks;
            is_padding = is_padding || (shape.size() == 2 && shape[0] != shape[1]);
        }
    }
    return is_padding || masks > 1;
}

// Returns true if the operands are right, the result is not, and nothing behind it is.
bool LayerComparison::departs_at(std::size_t at) const {
    const RecordedCall& call = recording_->calls[at];
    if (comes_right_[at] || call.results.empty() || (call.op == "einsum" && call.operands.size() > 2)) {
        return false;  // einsum of three joins several steps
    }
    const RecordedTensor& result = tensor(call.results[0]);
    if (is_outer(call)) {
        return false;  // its sum is judged
    }
    if (call.op == "scaled_dot_product_attention" && call.number("is_causal", 0.0) != 0.0) {
        const auto tokens = [&](std::size_t id) { return *(tensor(id).shape.end() - 2); };
        const std::size_t n = tokens(call.operands[0]);
        if (n > 1 && n < tokens(call.operands[1])) {
            return true;  // its mask does not count the keys of a cache
        }
    }
    if (!result.has_numbers || result.numbers.size() < (call.kind == "matmul" ? least_part : 2U)) {
        return false;  // too little to compare
    }
    if (!is_moving(call.results[0]) &&
        (call.operands.empty() || !flow_[call.results[0]].is_mask || flow_[call.results[0]].is_random ||
         has_many_values(result) || (differs_by_sequence(result) && !hides_rows(result)))) {
        return false;  // of constants, only masks are judged, and padding is the reader's own
    }
    const auto joins_masks = [&](const RecordedCall& next) {  // such as a mask and a window
        return next.operands.size() == 2 && !next.results.empty() && !is_moving(next.results[0]) &&
               !differs_by_sequence(tensor(next.results[0])) &&
               std::ranges::all_of(next.operands, [&](std::size_t id) { return flow_[id].is_mask; });
    };
    const auto joins_it = [&](const RecordedCall& next) {
        return joins_masks(next) && std::ranges::find(next.operands, call.results[0]) != next.operands.end();
    };
    if (!is_moving(call.results[0]) && std::ranges::any_of(recording_->calls, joins_it)) {
        return false;
    }
    if (joins_masks(call)) {
        return !is_right_tensor(call.results[0]);
    }
    if (is_one_of(call.op, {"cat", "stack", "concat"}) &&
        std::ranges::any_of(call.operands, [&](std::size_t id) { return !is_moving(id); })) {
        // A cache that the recording does not show. Keys and values have it on the same side.
        const auto is_before = [&](const RecordedCall& join, bool first) {
            if (join.op != call.op || join.operands.size() != 2 ||
                !on_way_[static_cast<std::size_t>(&join - recording_->calls.data())]) {
                return false;
            }
            const std::size_t own = join.operands[first ? 0 : 1], cache = join.operands[first ? 1 : 0];
            return is_moving(own) && !is_moving(cache) && !flow_[cache].is_foreign;
        };
        return is_before(call, true) && std::ranges::any_of(recording_->calls, [&](const auto& join) {
                   return is_before(join, false);
               });
    }
    const bool right = std::ranges::any_of(call.results, [&](std::size_t id) {
        const auto match = matches_.find(id);
        const bool turned = match != matches_.end() && match->second.is_swapped && call.kind != "layout";
        return is_right_tensor(id) && !turned;
    });
    const bool projects_output =
        call.kind == "matmul" && std::ranges::any_of(call.operands, [&](std::size_t id) {
            const auto match = matches_.find(id);
            return match != matches_.end() && match->second.node >= walks_->context &&
                   match->second.node < walks_->first_detour;
        });
    if (projects_output && std::ranges::any_of(call.operands, [&](std::size_t id) {
            return !is_moving(id) && !found_->is_weight(id);
        })) {
        return false;  // by a weight that the stages do not have
    }
    const bool after_softmax = std::ranges::any_of(call.operands, [&](std::size_t id) {
        const auto match = matches_.find(id);
        return match != matches_.end() && match->second.node == walks_->softmax;
    });
    return !right && std::ranges::all_of(call.operands, [&](std::size_t id) {
        // A bias of positions is the reader's own, but not behind softmax; a mask may be made of positions.
        return has_many_values(tensor(id)) && flow_[id].is_mask ? !is_moving(call.results[0]) || after_softmax
                                                                : is_right_tensor(id);
    });
}

// Returns false for what belongs to other kinds of attention: a learned bias or gain, a temperature, a
// rotation of some of the features, windows of tokens.
bool LayerComparison::is_of_stage(const RecordedCall& call) const {
    const auto is_factor = [&](std::size_t id) { return !is_moving(id); };
    const auto moving = std::ranges::find_if_not(call.operands, is_factor);
    if (moving == call.operands.end()) {
        return true;
    }
    const Parameters& form = walks_->traces[0].parameters;
    const std::size_t d = form.num_heads > 0 ? form.d_out / form.num_heads : form.d_out;
    const bool has_rotation = walks_->traces[0].find("cos").has_value();
    const bool scales = call.kind == "scale";
    if (scales && has_temperature(call, *moving)) {
        return false;
    }
    for (const std::size_t id : call.operands) {
        const RecordedTensor& own = tensor(id);
        const std::size_t width = own.shape.empty() ? 1 : own.shape.back();
        const bool adds = is_one_of(call.kind, {"add", "radd", "iadd", "sub", "isub"});
        const bool is_learned = flow_[id].is_learned && !flow_[id].is_mask && own.numbers.size() > 1;
        // The angles of a rotation may be parameters.
        if ((is_learned && !has_rotation && (scales || adds || call.kind == "matmul")) ||
            (scales && has_rotation && is_factor(id) && width > 1 && width != d && 2 * width != d &&
             width != walks_->n)) {
            return false;
        }
    }
    const auto turns_part = [&](const RecordedCall& joins) {
        const auto is_turned = [&](std::size_t id) { return flow_[id].is_turned; };
        return joins.kind == "cat" && std::ranges::any_of(joins.operands, is_turned) &&
               !std::ranges::all_of(joins.operands, is_turned) && is_moving(joins.results[0]);
    };
    if (has_rotation && !flow_[*moving].is_mixed && std::ranges::any_of(recording_->calls, turns_part)) {
        return false;
    }
    if (call.op == "__setitem__" && !is_moving(call.operands[0]) &&
        std::ranges::none_of(walks_->tensors, [&](const WalkedTensor& one) {
            return one.numbers.size() == tensor(call.operands[0]).numbers.size();
        })) {
        return false;  // a cache with places for later tokens
    }
    const std::vector<std::size_t>& shape = tensor(*moving).shape;
    const std::size_t n = walks_->n;
    if (call.kind == "layout" && shape.size() > 2 && !found_->is_joined() && (shape.back() != n || d == n) &&
        std::find(shape.begin(), shape.end() - 1, n) == shape.end() - 1) {
        for (std::size_t axis = 0; axis + 2 < shape.size(); ++axis) {
            if (shape[axis] > 1 && shape[axis + 1] > 1 && shape[axis] * shape[axis + 1] == n) {
                return false;  // windows of tokens
            }
        }
    }
    if (call.kind == "layout" && !found_->past.empty()) {  // a window keeps the newest tokens of a cache
        const RecordedTensor& all = tensor(*moving);
        const RecordedTensor& part = tensor(call.results[0]);
        return part.numbers.empty() || part.numbers.size() == all.numbers.size() ||
               part.numbers.back() != all.numbers.back();
    }
    return true;
}

// Returns true if queries or keys are normalised along another axis than that of their features.
bool LayerComparison::normalises_other_axis(const RecordedCall& call) const {
    const std::vector<std::size_t>& shape = tensor(call.operands[0]).shape;
    if (call.op != "normalize" || shape.size() < 2 || flow_[call.operands[0]].is_mixed) {
        return false;
    }
    const auto rank = static_cast<double>(shape.size());
    const double dim = call.number("dim", 1.0);
    const double axis = dim < 0.0 ? dim + rank : dim;
    const Parameters& form = walks_->traces[0].parameters;
    const std::size_t d = form.num_heads > 0 ? form.d_out / form.num_heads : form.d_out;
    const bool is_turned = shape.back() == walks_->n && d != walks_->n;  // the tokens are the columns
    return axis != rank - (is_turned ? 2.0 : 1.0);
}

// Returns the call that made wrong angles, or a wrong choice of cosines and sines, for a rotation. Sines with
// the name of cosines were swapped by the caller of the function that returns them.
std::optional<std::size_t> LayerComparison::cause_in_rotation(const RecordedCall& call) {
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
        while (!is_moving(id) && (*makers_)[id] && !calls[*(*makers_)[id]].operands.empty() &&
               !is_one_of(calls[*(*makers_)[id]].op, {"cos", "sin"}) &&
               is_one_of(calls[*(*makers_)[id]].kind, {"layout", "cat", "repeat_interleave", "repeat"})) {
            id = calls[*(*makers_)[id]].operands[0];
        }
        const auto turns = is_moving(id) ? std::nullopt : (*makers_)[id];
        if (!turns || !is_one_of(calls[*turns].op, {"cos", "sin"})) {
            continue;
        }
        const bool is_sine = calls[*turns].op == "sin";
        const auto is_called = [&](std::string_view name) {
            return std::ranges::find(tensor(operand).names, name) != tensor(operand).names.end();
        };
        if (is_called(is_sine ? "cos" : "sin") && !is_called(is_sine ? "sin" : "cos")) {
            caller_ = calls[*turns].callers.empty() ? std::nullopt : std::optional<std::size_t>(0);
            return turns;
        }
        // The columns of the right angles: one for each pair, or one for each feature.
        const auto is_right = [&](std::size_t angles, bool is_wide) {
            const RecordedTensor& own = tensor(angles);
            const std::size_t columns = is_wide ? 2 * half : half;
            if (!own.has_numbers || own.shape.empty() || own.shape.back() != columns ||
                own.numbers.size() < n * columns) {
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
        auto maker = (*makers_)[angles];
        while (maker && !calls[*maker].operands.empty()) {
            const std::size_t before = calls[*maker].operands[0];
            if (is_right(before, false) ||
                !is_one_of(calls[*maker].kind, {"layout", "cat", "repeat_interleave", "repeat", "stack"})) {
                break;
            }
            maker = (*makers_)[before];
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
            for (std::size_t origin = factor; is_wrong && (*makers_)[origin];) {
                maker = (*makers_)[origin];
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

// Returns the call that made positions from 0 for the newest tokens, which follow those of a cache. The
// angles of the first pair are the positions.
std::optional<std::size_t> LayerComparison::maker_of_first_positions() const {
    const std::vector<RecordedCall>& calls = recording_->calls;
    const std::vector<std::size_t>& x = tensor(found_->x).shape;
    const std::size_t count = x.size() < 2 ? 1 : x[x.size() - 2];
    const auto table = walks_->traces[0].find("cos");
    if (found_->past.empty() || !table || count >= walks_->n) {
        return std::nullopt;
    }
    const std::size_t half = walks_->traces[0].node(*table).value.size(-1);
    const auto count_from_0 = [&](std::size_t id) {
        const RecordedTensor& own = tensor(id);
        const std::size_t columns = own.numbers.size() / count;
        bool counts = own.has_numbers && own.numbers.size() == columns * count && columns > 0;
        for (std::size_t i = 0; i < count && counts; ++i) {
            counts = own.numbers[i * columns] == static_cast<float>(i);
        }
        return counts;
    };
    for (std::size_t i = found_->first_call; i < found_->end; ++i) {
        const std::size_t size = calls[i].operands.empty() ? 0 : tensor(calls[i].operands[0]).numbers.size();
        if (!on_way_[i] || calls[i].op != "cos" || (size != count * half && size != 2 * count * half) ||
            !count_from_0(calls[i].operands[0])) {
            continue;
        }
        std::optional<std::size_t> maker = i;
        for (bool goes_on = true; goes_on;) {
            const std::vector<std::size_t>& from = calls[*maker].operands;
            const auto positions = std::ranges::find_if(
                from, [&](std::size_t id) { return (*makers_)[id] && count_from_0(id); });
            goes_on = positions != from.end();
            maker = goes_on ? (*makers_)[*positions] : maker;
        }
        return maker;
    }
    return std::nullopt;
}

// Returns true if queries, keys or scores are scaled by a number that is neither a power of a size, such as
// √d_k, nor half a size, which d_k**1/2 gives.
bool LayerComparison::has_temperature(const RecordedCall& call, std::size_t scaled) const {
    const std::vector<float>& before = tensor(scaled).numbers;
    const std::vector<float>& after = tensor(call.results[0]).numbers;
    const auto most = std::ranges::max_element(before, {}, [](float x) { return std::abs(x); });
    const bool is_score = (flow_[scaled].roles & 1U << roles.find('v')) == 0 || found_->is_fused();
    if (!is_score || before.size() != after.size() || before.empty() || *most == 0.0F) {
        return false;
    }
    const double factor = static_cast<double>(after[static_cast<std::size_t>(most - before.begin())]) /
                          static_cast<double>(*most);
    for (std::size_t i = 0; i < before.size(); ++i) {
        const double scaled_number = factor * static_cast<double>(before[i]);
        if (!(std::abs(scaled_number - static_cast<double>(after[i])) <=
              1e-3 * std::abs(factor * static_cast<double>(*most)))) {
            return false;  // not by one number
        }
    }
    const Parameters& form = walks_->traces[0].parameters;
    std::set<std::size_t> sizes{walks_->n, form.d_in, form.d_out, form.num_heads};
    for (const std::size_t id : {scaled, found_->x}) {
        sizes.insert(tensor(id).shape.begin(), tensor(id).shape.end());
    }
    if (form.num_heads > 0) {
        sizes.insert(form.d_out / form.num_heads);
    }
    const double by = std::max(std::abs(factor), 1.0 / std::abs(factor));
    return std::ranges::none_of(sizes, [&](std::size_t size) {
        const double of = static_cast<double>(size);
        return std::ranges::any_of(
            std::initializer_list<double>{std::pow(of, 0.25), std::sqrt(of), of, of * of, of / 2.0},
            [&](double one) { return std::abs(by - one) <= 1e-3 * one; });
    });
}

// Judges the other branches of a script: its calls that attention consists of. Others may be the reader's own
// experiments.
void LayerComparison::find_departures_beside() {
    const std::vector<RecordedCall>& calls = recording_->calls;
    std::vector<bool> own(calls.size());
    std::vector<bool> used(recording_->tensors.size());  // by a call of the layer
    for (std::size_t i = found_->end; i-- > 0;) {
        const auto depends = [&](std::size_t id) { return (*makers_)[id] == i && flow_[id].roles != 0; };
        own[i] = std::ranges::any_of(calls[i].results, depends);
        const bool feeds = std::ranges::any_of(calls[i].results, [&](std::size_t id) { return used[id]; });
        for (const std::size_t operand : calls[i].operands) {
            used[operand] = used[operand] || own[i] || (feeds && flow_[operand].roles == 0);
        }
        own[i] = own[i] || feeds;
    }
    follow_right_results(own, found_->end);
    std::set<std::size_t> after(outputs_.begin(), outputs_.end());
    for (std::size_t i = found_->past.empty() ? 0 : found_->first_call;
         i < found_->end && (!departs_ || i < *departs_); ++i) {
        const RecordedCall& call = calls[i];
        if (std::ranges::any_of(call.operands, [&](std::size_t id) { return after.contains(id); })) {
            after.insert(call.results.begin(), call.results.end());
            continue;
        }
        const std::string_view kind = call.kind;
        const bool scales =
            kind == "scale" &&
            (call.operands.size() == 1 ||
             std::ranges::any_of(call.operands, [&](std::size_t id) { return !is_moving(id); }));
        const bool joins = kind == "stack" && std::ranges::all_of(call.operands, [&](std::size_t id) {
                               return matches_.contains(id);
                           });
        if (own[i] && call.module.empty() &&
            (scales || joins || is_one_of(kind, {"matmul", "softmax", "masked_fill", "triangle"})) &&
            std::ranges::none_of(call.operands, [&](std::size_t id) { return is_other_[id]; }) &&
            departs_at(i) && is_of_stage(call)) {
            departs_ = i;
            is_right_ = false;
            on_way_[i] = true;
            break;
        }
    }
}

// Finds dropout that runs although the module is in eval mode.
void LayerComparison::find_dropout_in_eval_mode() {
    for (std::size_t i = found_->first_call; i < found_->end && (!departs_ || i < *departs_); ++i) {
        const RecordedCall& call = recording_->calls[i];
        if (!call.is_eval || call.op != "dropout" || call.operands.empty() ||
            flow_[call.operands[0]].roles == 0) {
            continue;
        }
        if (tensor(call.results[0]).numbers != tensor(call.operands[0]).numbers) {
            departs_ = i;
            is_right_ = false;
        }
    }
}

// Returns the call that made the mask of a call, if the mask hides nothing or has wrong values. A mask to add
// has 0 and a very negative number; one for SDPA is true for tokens that are seen.
std::optional<std::size_t> LayerComparison::maker_of_wrong_mask(std::size_t at) const {
    const RecordedCall& call = recording_->calls[at];
    const bool fused = call.op == "scaled_dot_product_attention";
    const bool fills = call.kind == "masked_fill";
    if (call.results.empty() || !is_moving(call.results[0])) {
        return std::nullopt;
    }
    for (const std::size_t id : call.operands) {
        const RecordedTensor& mask = tensor(id);
        const auto maker = (*makers_)[id];
        if (is_moving(id) || found_->is_weight(id) || !maker || recording_->calls[*maker].operands.empty() ||
            mask.numbers.empty() || has_many_values(mask) ||
            (!fills && !flow_[id].is_mask && !(std::ranges::min(mask.numbers) < -1e3F))) {
            continue;
        }
        const float own = mask.numbers.front();
        const auto [least, most] = std::ranges::minmax(mask.numbers);
        const bool is_truth = mask.type == "bool";
        const bool adds = fused ? !is_truth : !fills && call.op.find("mul") == std::string::npos;
        const bool is_wrong =
            least == most || (adds && (own != 0.0F || least > -1e3F)) || (fused && is_truth && own == 0.0F);
        std::size_t cause = *maker;
        while (least == most && mask.numbers.size() > 1 && recording_->calls[cause].operands.size() == 1 &&
               !is_unrelated(recording_->calls[cause].op) &&
               (*makers_)[recording_->calls[cause].operands[0]]) {
            cause = *(*makers_)[recording_->calls[cause].operands[0]];  // of ~mask, that of the mask
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
std::optional<std::size_t> LayerComparison::chooser_of_wrong_part() const {
    struct Chooser {
        std::size_t call;
        bool is_whole, varies;
    };
    const std::vector<RecordedCall>& calls = recording_->calls;
    std::vector<Chooser> choosers;
    std::set<std::size_t> heads;
    std::vector<std::size_t> pending = calls[*departs_].operands;
    for (std::size_t at = 0; at < pending.size(); ++at) {
        const std::size_t id = pending[at];
        const auto maker = (*makers_)[id];
        if (!maker || flow_[id].roles == 0 ||
            std::ranges::find(pending, id) - pending.begin() != std::ptrdiff_t(at)) {
            continue;
        }
        const RecordedCall& made = calls[*maker];
        const auto match = matches_.find(id);
        const bool is_whole = match != matches_.end();
        if (is_whole && match->second.head) {
            heads.insert(*match->second.head);
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
            if (other.line == made.line && other.file == made.file && other.op == made.op &&
                other.results.size() == 1 && other.text == made.text && other.operands == made.operands) {
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
std::optional<std::size_t> LayerComparison::maker_of_symmetry(const RecordedCall& call) const {
    std::optional<std::size_t> maker;
    for (std::vector<std::size_t> next = call.results; !next.empty();) {
        const auto found = std::ranges::find_if(
            next, [&](std::size_t id) { return !is_moving(id) && is_symmetric(tensor(id)); });
        if (found == next.end() || !(*makers_)[*found]) {
            break;
        }
        maker = (*makers_)[*found];
        next = recording_->calls[*maker].operands;
    }
    return maker;
}

// Moves the departure from the call where numbers part to an earlier one that is their cause.
void LayerComparison::move_to_cause() {
    if (!departs_) {
        return;
    }
    const std::vector<RecordedCall>& calls = recording_->calls;
    const RecordedCall& call = calls[*departs_];
    const auto node_of = [&](std::size_t id) {
        const auto match = matches_.find(id);
        return match == matches_.end() ? std::nullopt : std::optional(match->second.node);
    };
    // Rows in a wrong order: the first wrong one.
    if (is_one_of(call.op, {"stack", "cat", "vstack"})) {
        for (std::size_t k = 0; k < call.operands.size(); ++k) {
            const auto match = matches_.find(call.operands[k]);
            if (match == matches_.end() || !match->second.row) {
                break;
            }
            if (*match->second.row != k) {
                departs_ = (*makers_)[call.operands[k]];
                return;
            }
        }
    }
    if (const auto maker = maker_of_wrong_mask(*departs_)) {
        departs_ = maker;
        return;
    }
    for (std::size_t i = found_->first_call; i <= *departs_ && walks_->traces[0].find("cos"); ++i) {
        const auto maker =
            on_way_[i] && flow_[calls[i].results.empty() ? found_->x : calls[i].results[0]].roles != 0
                ? cause_in_rotation(calls[i])
                : std::nullopt;
        if (maker) {
            departs_ = maker;
            return;
        }
    }
    if (const auto maker = maker_of_symmetry(call)) {
        departs_ = maker;
        return;
    }
    // Heads in a wrong order before they are merged: the call that moved them.
    for (std::size_t id = call.operands.empty() ? found_->x : call.operands[0];
         call.kind == "layout" && node_of(id) == walks_->context && (*makers_)[id];) {
        const RecordedCall& moves = calls[*(*makers_)[id]];
        if (moves.kind != "layout") {
            break;
        }
        const bool is_permuted = tensor(id).shape != tensor(moves.operands[0]).shape ||
                                 tensor(id).numbers != tensor(moves.operands[0]).numbers;
        if (is_permuted && tensor(id).shape.back() != tensor(moves.operands[0]).shape.back()) {
            departs_ = (*makers_)[id];
            return;
        }
        id = moves.operands[0];
    }
    // A detour that should have ended before this call.
    const StageTrace& trace = walks_->traces[0];
    for (std::size_t id : call.operands) {
        const auto is = [&](const std::optional<std::size_t>& node) {
            return node && node_of(id) && identical(trace.node(*node_of(id)).value, trace.node(*node).value);
        };
        const bool multiplies = call.kind == "matmul" && call.op != "scaled_dot_product_attention";
        const bool is_unmasked = multiplies && is(walks_->unmasked);
        const bool is_zeroed =
            multiplies && is(walks_->zeroed) &&
            std::ranges::count_if(calls, [&](const RecordedCall& use) {
                const auto at = static_cast<std::size_t>(&use - calls.data());
                return on_way_[at] && std::ranges::find(use.operands, id) != use.operands.end();
            }) == 1;
        const bool is_scaled = call.op == "scaled_dot_product_attention" && node_of(id) &&
                               std::ranges::find(walks_->prescaled, *node_of(id)) != walks_->prescaled.end();
        while ((is_unmasked || is_zeroed || is_scaled) && (*makers_)[id]) {
            std::size_t cause = *(*makers_)[id];
            if (calls[cause].kind == "layout" && !calls[cause].operands.empty()) {
                id = calls[cause].operands[0];
                continue;
            }
            for (std::size_t i = found_->first_call; is_unmasked && i < *departs_; ++i) {
                const bool masks =
                    calls[i].kind == "masked_fill" ||
                    std::ranges::any_of(calls[i].operands, [&](auto one) { return flow_[one].is_mask; });
                cause =
                    masks && !calls[i].results.empty() && flow_[calls[i].results[0]].roles != 0 ? i : cause;
            }
            departs_ = is_unmasked ? maker_of_wrong_mask(cause).value_or(cause) : cause;
            return;
        }
    }
    if (const auto chooser = chooser_of_wrong_part()) {
        const bool is_own = is_of_stage(calls[*chooser]);
        if (!is_own) {
            differs_.push_back(*chooser);
        }
        departs_ = is_own ? chooser : std::nullopt;
        return;
    }
    // The same part of one projection for two roles.
    for (std::size_t i = found_->first_call; found_->is_fused() && i < *departs_; ++i) {
        const auto is_same = [&](const RecordedCall& other) {
            return other.kind == "layout" && other.operands == calls[i].operands &&
                   other.results.size() == 1 &&
                   tensor(other.results[0]).numbers == tensor(calls[i].results[0]).numbers;
        };
        const auto first = std::ranges::find_if(calls, is_same);
        if (on_way_[i] && calls[i].kind == "layout" &&
            first < calls.begin() + static_cast<std::ptrdiff_t>(i) &&
            tensor(calls[i].results[0]).numbers.size() * roles.size() ==
                tensor(calls[i].operands[0]).numbers.size()) {
            departs_ = i;
            return;
        }
    }
    // Parts of one projection under the names of other roles.
    for (std::size_t i = found_->first_call; found_->is_fused() && i < *departs_; ++i) {
        for (const std::size_t result : calls[i].results) {
            const auto node = node_of(result);
            if (!node || calls[i].kind != "layout" || tensor(result).names.empty() ||
                tensor(result).numbers.size() >= tensor(calls[i].operands[0]).numbers.size()) {
                continue;
            }
            RecordedTensor named;
            named.names = {name_of_node(*node)};
            const auto right = role_of(named);
            const auto yours = role_of(tensor(result));
            if (right && yours && right->role != yours->role) {
                departs_ = i;
                return;
            }
        }
    }
}

// A function that is right for other operands is not wrong itself: the line that calls it is. With a cache,
// the function may be right for the first tokens only.
void LayerComparison::move_to_caller() {
    const auto same = [](const auto& a, const auto& b) { return a.line == b.line && a.file == b.file; };
    for (std::size_t i = 0; departs_ && found_->past.empty() && i < found_->end && !caller_; ++i) {
        const RecordedCall& wrong = recording_->calls[*departs_];
        const RecordedCall& other = recording_->calls[i];
        const bool is_right = comes_right_[i] || std::ranges::any_of(other.results, [&](std::size_t id) {
                                  return matches_.contains(id) && !matches_.at(id).row;
                              });
        if (i == departs_ || !is_right || !same(wrong, other) || other.op != wrong.op) {
            continue;
        }
        const auto differs = std::ranges::mismatch(wrong.callers, other.callers, same);
        if (differs.in1 != wrong.callers.end() && differs.in2 != other.callers.end()) {
            caller_ = static_cast<std::size_t>(differs.in1 - wrong.callers.begin());
        }
    }
}

bool LayerComparison::reaches(std::string_view step) const {
    const auto node = walks_->traces[0].find(step);
    return node && std::ranges::any_of(matches_, [&](const auto& one) { return one.second.node == *node; });
}

std::string LayerComparison::name_of_node(std::size_t node) const {
    const Notebook& nb = walks_->traces[0].notebook;
    return node < walks_->first_detour ? expression(nb, node, Language::torch) : "";
}

void LayerComparison::fill(AlignedLayer& layer) const {
    const StageTrace& trace = walks_->traces[0];
    layer.stage = walks_->stage;
    layer.parameters = trace.parameters;
    layer.weights = found_->is_joined() ? std::vector<WeightPlace>() : walks_->places;
    layer.memory = found_->memory;
    layer.is_right = is_right_;
    layer.departs = departs_;
    layer.differs = is_right_ || departs_ ? std::vector<std::size_t>() : differs_;
    layer.caller = caller_;
    bool follows = false;
    for (std::size_t i = 0; i < found_->end; ++i) {
        const RecordedCall& call = recording_->calls[i];
        const bool own = std::ranges::any_of(
            call.results, [&](std::size_t id) { return (*makers_)[id] == i && flow_[id].roles != 0; });
        if (!on_way_[i] || (!own && i != departs_)) {
            continue;
        }
        AlignedCall aligned{i, CallVerdict::detour, ""};
        for (const std::size_t id : call.results) {
            if (const auto match = matches_.find(id); match != matches_.end()) {
                aligned = {i, CallVerdict::right, name_of_node(match->second.node)};
                const Node& node = trace.node(match->second.node);
                if (node.role == Role::step && match->second.node < walks_->first_detour) {
                    layer.output = node.name;
                    layer.place = trace.place(match->second.node);
                }
            }
        }
        if (i == departs_) {
            aligned = {i, CallVerdict::departs, ""};
            follows = true;
        } else if ((follows || (!layer.differs.empty() && i >= layer.differs[0])) &&
                   aligned.verdict == CallVerdict::detour) {
            aligned.verdict = CallVerdict::follows;
        }
        layer.calls.push_back(aligned);
    }
    if (departs_) {
        const RecordedCall& call = recording_->calls[*departs_];
        std::vector<std::size_t> operands;  // nodes
        for (const std::size_t id : call.operands) {
            if (const auto match = matches_.find(id); match != matches_.end()) {
                operands.push_back(match->second.node);
            }
        }
        const std::size_t rank = call.operands.empty() ? 0 : tensor(call.operands[0]).shape.size();
        const CallDifference difference = difference_of(call, rank, operands, *walks_);
        layer.right_line = difference.right_line;
        layer.yours = difference.yours;
        layer.right = difference.right;
        const std::vector<std::size_t>& sizes = tensor(call.results[0]).shape;
        if (call.kind == "triangle" && sizes.size() > 1 && sizes.back() != sizes[sizes.size() - 2]) {
            layer.yours = layer.right = layer.right_line = "";  // the diagonal depends on the cache
        }
        if (found_->out_proj && found_->out_proj->result == found_->x && matches_.contains(call.results[0]) &&
            call.kind == "layout") {
            layer.yours = layer.right_line = "";
            layer.right = "out_proj";
        }
    }
}

}  // namespace attn
