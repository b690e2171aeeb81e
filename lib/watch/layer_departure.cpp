// Finds the first call of a layer that departs from the walk, or those of another kind of attention.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <set>

#include "text/lists.hpp"
#include "watch/layer_comparison.hpp"
#include "watch/recorded_masks.hpp"
#include "watch/recorded_ops.hpp"

namespace attn {

// Returns true for a residual connection within a class of attention without normalisation: the chapter adds
// nothing to the output.
bool LayerComparison::adds_inputs(std::size_t at) const {
    const RecordedCall& call = recording_->calls[at];
    return call.op == "add" && contains(call.module, "Attention") && contains(call.operands, found_->x) &&
           call.module == recording_->calls[found_->first_call].module &&
           std::none_of(recording_->calls.begin() + static_cast<std::ptrdiff_t>(at), recording_->calls.end(),
                        [&](const RecordedCall& next) {
                            return next.module == call.module && contains(next.op, "norm");
                        });
}

// Returns the cause if the call adds normalised inputs as a residual connection, and a branch normalises the
// sum again. The norm is the cause if its result replaces its operand.
OptionalIndex LayerComparison::norm_of_residual(std::size_t at) const {
    const std::vector<RecordedCall>& calls = recording_->calls;
    const auto is_norm = [](const RecordedCall& call) { return contains(call.op, "norm"); };
    const auto norm = made_at(found_->x);
    if (!norm || !is_norm(calls[*norm]) || calls[at].kind != "add" ||
        !contains(calls[at].operands, found_->x)) {
        return std::nullopt;
    }
    bool is_normalised = false, is_added = false;
    for (std::size_t i = at + 1; i < calls.size(); ++i) {
        if (contains(calls[i].operands, calls[at].results[0])) {
            is_normalised = is_normalised || is_norm(calls[i]);
            is_added = is_added || calls[i].kind == "add";
        }
    }
    const bool replaces = std::ranges::all_of(tensor(found_->x).names, [&](const std::string& name) {
        const std::vector<std::string>& before = tensor(calls[*norm].operands[0]).names;
        return contains(before, name) && calls[*norm].file == calls[at].file &&
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
        if (call.results.empty() || after.contains(call.results[0]) || !call.reads(is_after)) {
            continue;
        }
        const bool joins = call.reads([&](std::size_t id) {
            return !is_after(id) &&
                   (found_->is_weight(id) || (matches_.contains(id) && flow_[id].roles != 0));
        });
        const auto norm = norm_of_residual(i);
        if (joins || norm || adds_inputs(i)) {
            depart(norm.value_or(i));
        } else if (call.kind == "layout" || contains(call.op, "dropout")) {
            after.insert(call.results.begin(), call.results.end());
        }
    }
}

// Returns the call that gives a fused projection a shape in which rows have features of several tokens. Where
// the weight joins those of queries, keys and values, also one in which the heads come first.
OptionalIndex LayerComparison::call_that_mixes_tokens() const {
    const std::size_t fused = found_->by_role.at('f').result;
    for (std::size_t i = found_->first_call; i < found_->end; ++i) {
        const RecordedCall& call = recording_->calls[i];
        if (!is_one_of(call.op, {"view", "reshape"}) || call.operands != std::vector{fused}) {
            continue;
        }
        const std::vector<std::size_t>& shape = tensor(call.results[0]).shape;
        std::size_t width = 1;
        auto axis = shape.rbegin();
        while (axis != shape.rend() && width < tensor(fused).size(-1)) {
            width *= *axis++;
        }
        const RecordedCall* const joins = maker(found_->by_role.at('f').weight);
        const std::size_t rank = shape.size();
        const bool takes_heads_first = joins != nullptr && joins->kind == "cat" && rank > 3 &&
                                       shape[rank - 3] > 1 && shape[rank - 2] == roles.size() &&
                                       shape[rank - 3] * roles.size() * shape[rank - 1] == width;
        if (width != tensor(fused).size(-1) || takes_heads_first) {
            return i;
        }
    }
    return std::nullopt;
}

// Returns the first call of a line that takes, for each token, the token itself and all later ones, or the
// earlier ones without the token itself.
OptionalIndex LayerComparison::chooser_of_wrong_tokens() const {
    const std::vector<RecordedCall>& calls = recording_->calls;
    for (std::size_t i = found_->first_call; i < found_->end; ++i) {
        if (!on_way_[i] || calls[i].kind != "layout" || calls[i].operands.size() != 1 ||
            !flow_[calls[i].operands[0]].is_moving() || flow_[calls[i].operands[0]].is_mixed) {
            continue;
        }
        const RecordedTensor& whole = tensor(calls[i].operands[0]);
        const bool is_of_tokens =
            walks_->n > 2 && whole.has_numbers && !whole.shape.empty() && whole.shape[0] == walks_->n;
        std::set<std::size_t> counts;
        bool ends_alike = is_of_tokens, begins_alike = is_of_tokens;
        for (std::size_t at = i; at < found_->end && (ends_alike || begins_alike); ++at) {
            if (calls[at].repeats(calls[i]) && calls[at].operands == calls[i].operands &&
                calls[at].results.size() == 1) {
                const RecordedTensor& part = tensor(calls[at].results[0]);
                const bool is_part =
                    part.shape.size() == whole.shape.size() && part.numbers.size() <= whole.numbers.size();
                ends_alike = ends_alike && is_part &&
                             std::equal(part.numbers.rbegin(), part.numbers.rend(), whole.numbers.rbegin());
                begins_alike = begins_alike && is_part &&
                               std::equal(part.numbers.begin(), part.numbers.end(), whole.numbers.begin());
                counts.insert(part.shape.empty() ? 0 : part.shape[0]);
            }
        }
        const bool has_all = counts.size() == walks_->n && !counts.contains(0);
        const bool lags = counts.size() + 1 == walks_->n && !counts.contains(walks_->n);
        if ((has_all && ends_alike) || (lags && begins_alike)) {
            return i;
        }
    }
    return std::nullopt;
}

// Returns the call of the output: the last one whose result depends on most projections.
OptionalIndex LayerComparison::call_of_output() const {
    if (!outputs_.empty()) {
        return made_at(outputs_.back());
    }
    OptionalIndex last;
    int most = 1;
    for (std::size_t i = found_->first_call; i < found_->end; ++i) {
        for (const std::size_t result : recording_->calls[i].results) {
            const int count = std::popcount(flow_[result].roles);
            if (count >= most && made_at(result) == i) {
                most = count;
                last = i;
            }
        }
    }
    return last;
}

// Marks the calls that lead to the output, and those with a right result behind them.
void LayerComparison::mark_way_to(std::size_t last) {
    const auto is_made = [&](std::size_t id) { return !found_->is_input(id) && !found_->is_weight(id); };
    for (const std::size_t id : recording_->behind(recording_->calls[last].results, is_made)) {
        if (made_at(id) && is_made(id)) {
            on_way_[*made_at(id)] = true;
        }
    }
    follow_right_results(on_way_, last + 1);
}

LayerComparison::Step LayerComparison::step_of(const RecordedCall& call) const {
    return {call.line, call.op, call.operands.empty() ? 0U : flow_[call.operands[0]].needs};
}

// Finds the operations before the context vectors that no stage has.
void LayerComparison::find_foreign_steps(std::size_t last) {
    for (std::size_t i = 0; i <= last; ++i) {
        const RecordedCall& call = recording_->calls[i];
        if (on_way_[i] && !comes_right_[i] && !call.operands.empty() && flow_[call.results[0]].roles != 0 &&
            !matches_.contains(call.results[0]) && !flow_[call.operands[0]].is_context &&
            is_foreign(call.kind)) {
            foreign_.insert(step_of(call));
        }
    }
}

// Returns true if a call that departs belongs to another kind of attention.
bool LayerComparison::is_of_other_attention(const RecordedCall& call) const {
    // Behind numbers of another kind of attention, only its own steps are expected.
    const bool is_own =
        goes_on(call) && (is_product(call) ? call.reads([&](auto id) { return flow_[id].is_mixed; })
                                           : !is_one_of(call.kind, {"softmax", "masked_fill", "layout"}));
    // If stages lack some operation, it can be a mistake only in the call itself.
    const bool is_foreign_step = is_foreign(call.kind);
    return is_own || foreign_.size() + (is_foreign_step ? 0 : 1) > 1 || is_projection(call.results[0]) ||
           !is_of_stage(call) || (walks_->has_replaced() && (call.kind == "scale" || is_foreign_step));
}

// Finds the first call that departs, and those before it that belong to another kind of attention.
void LayerComparison::judge_calls(std::size_t last) {
    // The calls before one with a cache are judged on their own.
    for (std::size_t i = found_->past.empty() ? 0 : found_->first_call; i <= last && !is_right_ && !departs_;
         ++i) {
        const RecordedCall& call = recording_->calls[i];
        const bool is_padded = pads_keys(call), follows = is_padded || reads_other(call);
        const bool departs = on_way_[i] && !follows && departs_at(i);
        const bool is_other = departs && is_of_other_attention(call);
        if (is_other || (on_way_[i] && is_padded)) {
            differs_.push_back(i);
        } else if (departs) {
            departs_ = i;
        }
        for (const std::size_t result : call.results) {
            is_other_[result] = is_other_[result] || follows || is_other;
        }
    }
}

// Finds the first call with a wrong result, which belongs to another kind of attention.
void LayerComparison::find_first_difference(std::size_t last) {
    for (std::size_t i = found_->first_call; i <= last; ++i) {
        const RecordedCall& call = recording_->calls[i];
        const bool is_first = differs_.empty() && on_way_[i] && !comes_right_[i] &&
                              flow_[call.results[0]].roles != 0 && !is_right_tensor(call.results[0]);
        if (is_first) {
            differs_.push_back(i);
        }
        const bool is_other = reads_other(call) || is_first;
        for (const std::size_t result : call.results) {
            is_other_[result] = is_other;
        }
    }
}

// Finds the call that departs, or those of another kind of attention, on the way to the output.
void LayerComparison::find_departure() {
    const std::vector<RecordedCall>& calls = recording_->calls;
    on_way_.assign(calls.size(), false);
    comes_right_.assign(calls.size(), false);
    is_other_.assign(recording_->tensors.size(), false);
    const OptionalIndex last = call_of_output();
    if (!last) {
        return;
    }
    mark_way_to(*last);
    find_foreign_steps(*last);
    // The rows of a fused projection may have an order that no walk has; then no part is right.
    if (!found_->is_fused() || found_->heads || right_calls() > 0) {
        judge_calls(*last);
    } else if (!is_right_) {
        departs_ = call_that_mixes_tokens();
    }
    const auto is_output = [&](std::size_t id) {
        return matches_.contains(id) && flow_[id].roles == flow_.used;
    };
    is_right_ = is_right_ || (!departs_ && std::ranges::any_of(calls[*last].results, is_output));
    if (!is_right_) {
        const auto positions = maker_of_wrong_positions();
        const auto chooser = positions ? positions : chooser_of_wrong_tokens();
        departs_ = chooser ? chooser : departs_;
    }
    if (!is_right_ && !departs_ && differs_.empty()) {
        find_first_difference(*last);
    }
    for (std::size_t i = differs_.empty() ? calls.size() : differs_[0] + 1; i <= *last; ++i) {
        if (foreign_.contains(step_of(calls[i]))) {
            differs_.push_back(i);
        }
    }
    const bool unused = found_->out_proj && found_->out_proj->result == found_->x;
    if (is_right_ && outputs_.empty() && unused && !calls[*last].module.empty() && is_layout(calls[*last])) {
        depart(*last);  // the heads are merged, and their projection is missing
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
            const auto* const match = match_of(result);
            here = here || (match != nullptr && !match->is_swapped && flow_[result].roles != 0);
        }
        comes_right_[i] = after;
        for (const std::size_t operand : call.operands) {
            tensor_comes_right[operand] = tensor_comes_right[operand] || after || here;
        }
    }
}

// Returns true if PyTorch's module is given padding of keys, which is the reader's own.
bool LayerComparison::pads_keys(const RecordedCall& call) {
    return is_module(call) && call.by_keyword.contains("key_padding_mask");
}

// Returns true if `is_causal` hides keys of a cache: its mask does not count them.
bool LayerComparison::hides_cached_keys(const RecordedCall& call) const {
    if (!is_sdpa(call) || call.number("is_causal", 0.0) == 0.0) {
        return false;
    }
    const std::size_t queries = tensor(call.operands[0]).size(-2);
    return queries > 1 && queries < tensor(call.operands[1]).size(-2);
}

// Returns true for masks that are combined, such as a causal one and a window. Zeros that a mask fills are no
// second one.
bool LayerComparison::joins_masks(const RecordedCall& call) const {
    const auto is_mask = [&](std::size_t id) {
        const std::vector<float>& numbers = tensor(id).numbers;
        return flow_[id].is_mask && std::ranges::adjacent_find(numbers, std::not_equal_to()) != numbers.end();
    };
    return call.operands.size() == 2 && !call.results.empty() && !is_moving(call.results[0]) &&
           !differs_by_sequence(tensor(call.results[0])) && std::ranges::all_of(call.operands, is_mask);
}

// Returns true if the result is a mask that can be judged: padding is the reader's own, and of masks that are
// combined, only the result is judged.
bool LayerComparison::makes_whole_mask(const RecordedCall& call) const {
    const std::size_t id = call.results[0];
    const RecordedTensor& mask = tensor(id);
    return flow_[id].is_mask && !flow_[id].is_random && !call.operands.empty() && !has_many_values(mask) &&
           (!differs_by_sequence(mask) || hides_rows(mask)) &&
           std::ranges::none_of(recording_->calls, [&](const RecordedCall& next) {
               return contains(next.operands, id) && joins_masks(next);
           });
}

// Returns true if a call puts a cache behind the layer's own keys, although another call puts it before them.
bool LayerComparison::appends_cache(const RecordedCall& call) const {
    const auto appends = [&](const RecordedCall& join, std::size_t cache) {
        return join.op == call.op && join.operands.size() == 2 && is_on_way(join) &&
               is_moving(join.operands[1 - cache]) && !is_moving(join.operands[cache]) &&
               tensor(join.results[0]).shape == tensor(call.results[0]).shape;
    };
    return appends(call, 1) && std::ranges::any_of(recording_->calls, [&](const RecordedCall& other) {
               return appends(other, 0);
           });
}

// Returns true if the operands are right as far as they are not the reader's own.
bool LayerComparison::has_right_operands(const RecordedCall& call) const {
    const bool projects_output = call.kind == "matmul" && call.reads([&](std::size_t id) {
        return node_of(id) >= walks_->context && node_of(id) < walks_->first_detour;
    });
    const bool after_softmax = call.reads([&](std::size_t id) { return node_of(id) == walks_->softmax; });
    return std::ranges::all_of(call.operands, [&](std::size_t id) {
        if (projects_output && !is_moving(id) && !found_->is_weight(id)) {
            return false;  // a weight that the stages do not have
        }
        // A bias of positions is the reader's own, but not behind softmax; a mask may be made of positions.
        return has_many_values(tensor(id)) && flow_[id].is_mask ? !is_moving(call.results[0]) || after_softmax
                                                                : is_right_tensor(id);
    });
}

// Returns true if the operands are right, the result is not, and nothing behind it is.
bool LayerComparison::departs_at(std::size_t at) const {
    const RecordedCall& call = recording_->calls[at];
    if (comes_right_[at] || call.results.empty() || (call.op == "einsum" && call.operands.size() > 2) ||
        is_outer(call)) {
        return false;  // einsum of three joins several steps; of outer products, the sum is judged
    }
    if (hides_cached_keys(call)) {
        return true;
    }
    const std::size_t id = call.results[0];
    const std::size_t least = call.kind == "matmul" ? least_part : 2U;
    if (!tensor(id).has_numbers || tensor(id).numbers.size() < least ||
        (!is_moving(id) && !makes_whole_mask(call))) {
        return false;
    }
    if (joins_masks(call)) {
        return !is_right_tensor(id);
    }
    if (is_one_of(call.kind, {"cat", "stack"}) && call.reads([&](auto part) { return !is_moving(part); })) {
        return appends_cache(call);  // else a cache, or keys and values of other layers
    }
    const bool is_right = std::ranges::any_of(call.results, [&](std::size_t result) {
        const auto* const match = match_of(result);
        return is_right_tensor(result) && (match == nullptr || !match->is_swapped || is_layout(call));
    });
    return !is_right && has_right_operands(call);
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
    if (call.kind == "scale" && has_temperature(call, *moving)) {
        return false;
    }
    for (const std::size_t id : call.operands) {
        const bool is_learned = flow_[id].is_learned && !flow_[id].is_mask && tensor(id).numbers.size() > 1;
        // The angles of a rotation may be parameters.
        if (is_learned && !has_rotation && is_one_of(call.kind, {"scale", "add", "sub", "matmul"})) {
            return false;
        }
    }
    const auto turns_part = [&](const RecordedCall& joins) {
        const auto is_turned = [&](std::size_t id) { return flow_[id].is_turned; };
        return joins.kind == "cat" && joins.operands.size() > 1 &&
               tensor(joins.results[0]).size(-1) != tensor(joins.operands[0]).size(-1) &&
               joins.reads(is_turned) && !std::ranges::all_of(joins.operands, is_turned) &&
               is_moving(joins.results[0]);
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
        return part.numbers.empty() || all.numbers.empty() || part.numbers.size() == all.numbers.size() ||
               part.numbers.back() != all.numbers.back();
    }
    return true;
}

// Returns the number by which a call scales queries, keys or scores.
std::optional<double> LayerComparison::factor_of(const RecordedCall& call, std::size_t scaled) const {
    const std::vector<float>& before = tensor(scaled).numbers;
    const std::vector<float>& after = tensor(call.results[0]).numbers;
    const auto most = std::ranges::max_element(before, {}, [](float x) { return std::abs(x); });
    const bool is_score = (flow_[scaled].roles & 1U << roles.find('v')) == 0 || found_->is_fused();
    if (!is_score || before.size() != after.size() || before.empty() || *most == 0.0F) {
        return std::nullopt;
    }
    const double factor = static_cast<double>(after[static_cast<std::size_t>(most - before.begin())]) /
                          static_cast<double>(*most);
    for (std::size_t i = 0; i < before.size(); ++i) {
        const double scaled_number = factor * static_cast<double>(before[i]);
        if (!(std::abs(scaled_number - static_cast<double>(after[i])) <=
              1e-3 * std::abs(factor * static_cast<double>(*most)))) {
            return std::nullopt;  // not by one number
        }
    }
    return factor;
}

// Returns true if a call of another kind of attention is the only one that scales: its number stands in place
// of √d_k.
bool LayerComparison::replaces_scale() const {
    const auto scales = [&](const RecordedCall& call) {
        const auto moving = std::ranges::find_if(call.operands, [&](auto id) { return is_moving(id); });
        return is_on_way(call) && call.kind == "scale" && moving != call.operands.end() &&
               factor_of(call, *moving);
    };
    return std::ranges::any_of(differs_, [&](std::size_t at) { return scales(recording_->calls[at]); }) &&
           std::ranges::count_if(recording_->calls, scales) == 1 &&
           std::ranges::none_of(recording_->calls,
                                [&](const RecordedCall& call) { return is_on_way(call) && is_sdpa(call); });
}

// Returns true if queries, keys or scores are scaled by a number that is neither a power of a size, such as
// √d_k, nor half a size, which d_k**1/2 gives.
bool LayerComparison::has_temperature(const RecordedCall& call, std::size_t scaled) const {
    const auto factor = factor_of(call, scaled);
    if (!factor) {
        return false;
    }
    const Parameters& form = walks_->traces[0].parameters;
    std::set<std::size_t> sizes{walks_->n, form.d_in, form.d_out, form.num_heads};
    std::vector<std::size_t> shaped{scaled, found_->x};
    for (const auto& [role, p] : found_->by_role) {
        shaped.push_back(p.result);
    }
    for (const std::size_t id : shaped) {
        sizes.insert(tensor(id).shape.begin(), tensor(id).shape.end());
    }
    if (form.num_heads > 0) {
        sizes.insert(form.d_out / form.num_heads);
    }
    const double by = std::max(std::abs(*factor), 1.0 / std::abs(*factor));
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
    if (!differs_.empty()) {
        return;
    }
    const std::vector<RecordedCall>& calls = recording_->calls;
    std::vector<bool> own(calls.size());
    std::vector<bool> used(recording_->tensors.size());  // by a call of the layer
    for (std::size_t i = found_->end; i-- > 0;) {
        const auto depends = [&](std::size_t id) { return made_at(id) == i && flow_[id].roles != 0; };
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
        if (call.reads([&](std::size_t id) { return after.contains(id); })) {
            after.insert(call.results.begin(), call.results.end());
            continue;
        }
        const std::string_view kind = call.kind;
        const bool scales = kind == "scale" && (call.operands.size() == 1 ||
                                                call.reads([&](std::size_t id) { return !is_moving(id); }));
        const bool joins = kind == "stack" && std::ranges::all_of(call.operands, [&](std::size_t id) {
                               return matches_.contains(id);
                           });
        if (own[i] && call.module.empty() &&
            (scales || joins || is_one_of(kind, {"matmul", "softmax", "masked_fill", "triangle"})) &&
            !reads_other(call) && departs_at(i) && is_of_stage(call)) {
            depart(i);
            on_way_[i] = true;
        }
    }
}

// Departs at the layer's first call for which the test is true, if it is before the present departure.
bool LayerComparison::depart_earlier(const auto& test) {
    for (std::size_t i = found_->first_call; i < found_->end && (!departs_ || i < *departs_); ++i) {
        if (test(recording_->calls[i])) {
            depart(i);
            return true;
        }
    }
    return false;
}

// Finds dropout that runs although the module is in eval mode.
void LayerComparison::find_dropout_in_eval_mode() {
    depart_earlier([&](const RecordedCall& call) {
        return call.is_eval && !call.operands.empty() && flow_[call.operands[0]].roles != 0 &&
               ((is_sdpa(call) && call.number("dropout_p", 0.0) > 0.0) ||
                (call.op == "dropout" &&
                 !std::ranges::equal(
                     tensor(call.results[0]).numbers, tensor(call.operands[0]).numbers,
                     [](float after, float before) { return after == before || std::isnan(before); })));
    });
}

// Finds a mask that shows only the tokens with one id, such as that of the padding, and hides all others.
void LayerComparison::find_inverted_padding() {
    const auto fills = [](const RecordedCall& call) {
        return call.op.starts_with("masked_fill") && call.operands.size() > 1;
    };
    const auto mask_of = [&](const RecordedCall& call) -> OptionalIndex {
        if (pads_keys(call)) {  // the module has made numbers to add of it
            const std::size_t mask = call.by_keyword.at("key_padding_mask");
            return maker(mask) != nullptr && fills(*maker(mask)) ? maker(mask)->operands[1] : mask;
        }
        return fills(call)                                 ? std::optional(call.operands[1])
               : is_sdpa(call) && call.operands.size() > 3 ? std::optional(call.operands[3])
                                                           : std::nullopt;
    };
    const auto shows_padding = [&](const RecordedCall& call) {
        const bool fused = is_sdpa(call);
        const OptionalIndex mask = mask_of(call);
        if (!mask || flow_[call.results[0]].roles == 0) {
            return false;
        }
        const auto* const compares = maker(recording_->before(*mask, [](const RecordedCall& one) {
            return is_one_of(one.kind, {"layout", "repeat", "repeat_interleave"});
        }));
        return compares != nullptr && compares->kind == (fused ? "eq" : "ne") &&
               compares->operands.size() == 1 && tensor(compares->operands[0]).type.starts_with("int") &&
               has_many_values(tensor(compares->operands[0]));
    };
    if (depart_earlier(shows_padding)) {
        on_way_[*departs_] = true;
    }
}

// Finds a number that fills hidden scores, but is so near to the others that softmax does not hide them.
void LayerComparison::find_weak_fill() {
    depart_earlier([&](const RecordedCall& call) {
        return call.op.starts_with("masked_fill") && !call.arguments.empty() && call.operands.size() == 2 &&
               is_on_way(call) && !flow_[call.operands[0]].is_context && flow_[call.operands[0]].is_mixed &&
               std::abs(call.arguments.back().second) < 1e-3 &&
               std::ranges::any_of(recording_->calls, [&](const RecordedCall& later) {
                   return later.kind == "softmax" && contains(later.operands, call.results[0]);
               });
    });
}

// Finds a rotation of queries and keys that cancels in their products, because all tokens turn alike.
void LayerComparison::find_rotation_without_effect() {
    if (!is_right_ || walks_->traces[0].find("cos") || walks_->n < 2 || !found_->past.empty()) {
        return;
    }
    depart_earlier([&](const RecordedCall& call) {
        return is_on_way(call) && call.kind == "scale" && is_moving(call.results[0]) &&
               !flow_[call.results[0]].is_mixed &&
               call.reads([&](std::size_t id) { return flow_[id].is_turned && !is_moving(id); });
    });
}

}  // namespace attn
