#include "watch/layer_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include "notebook/render.hpp"
#include "text/lists.hpp"
#include "watch/call_difference.hpp"
#include "watch/recorded_masks.hpp"
#include "watch/recorded_ops.hpp"

namespace attn {

namespace {

// Walked tensors with more numbers are compared as wholes only.
constexpr std::size_t most_sorted = std::size_t{1} << 18U;

}  // namespace

LayerComparison::LayerComparison(const Recording& recording, const AttentionLayer& found,
                                 const LayerWalks& walks)
    : recording_(&recording), found_(&found), walks_(&walks), flow_(follow(recording, found)) {
    match_results();
    find_late_departure();
    find_departure();
    find_departures_beside();
    find_dropout_in_eval_mode();
    find_rotation_without_effect();
    move_to_cause();
    find_inverted_padding();
    find_weak_fill();
    move_to_caller();
}

// Returns the match of the weights, or of the output, from which dropout made a result: some numbers are
// zero, and the others are scaled up.
std::optional<ValueMatch> LayerComparison::match_before_dropout(std::size_t result) const {
    bool is_random = false;
    std::size_t id = result;
    for (int steps = 0; steps < 4 && made_at(id); ++steps) {
        const RecordedCall& call = *maker(id);
        is_random = is_random || contains(call.op, "dropout") ||
                    call.reads([&](auto operand) { return flow_[operand].is_random; });
        const auto next =
            std::ranges::find_if(call.operands, [&](auto operand) { return is_moving(operand); });
        if (next == call.operands.end() || call.kind == "matmul") {
            return std::nullopt;
        }
        id = *next;
        const auto* const match = match_of(id);
        if (match == nullptr || (match->node != walks_->softmax && match->node != walks_->output)) {
            continue;
        }
        const std::vector<float>& before = tensor(id).numbers;
        const std::vector<float>& after = tensor(result).numbers;
        double scale = 0.0;
        bool agrees = is_random && before.size() == after.size();
        for (std::size_t i = 0; agrees && i < after.size(); ++i) {
            if (after[i] != 0.0F && before[i] != 0.0F) {
                const double ratio = static_cast<double>(after[i]) / static_cast<double>(before[i]);
                scale = scale == 0.0 ? ratio : scale;
                agrees = std::abs(ratio - scale) <= std::max(1e-4, flow_[result].rounding) * scale;
            }
        }
        return agrees && scale > 1.001 ? std::optional(*match) : std::nullopt;
    }
    return std::nullopt;
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
            if (made_at(result) != i || !is_moving(result) || found_->is_input(result)) {
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
            // Equal to the inputs, although it comes from a projection.
            if (match && flow_[result].roles != 0 && !found_->is_simplified && roles_of(*match) == 0) {
                std::vector<WalkedTensor> projected;
                std::ranges::copy_if(walks_->tensors, std::back_inserter(projected),
                                     [](const WalkedTensor& one) { return one.roles != 0; });
                match =
                    match_value(tensor(result), projected, flow_[result].rounding, flow_[result].needs, true);
            }
            if (match) {
                const auto whole = match_value(tensor(result), walked_outputs, flow_[result].rounding,
                                               flow_[result].needs, flow_[result].is_row);
                flow_[result].needs |= roles_of(*match);
                if (flow_[result].roles == flow_.used && whole && !whole->is_permuted) {
                    is_right_ = true;
                    outputs_.push_back(result);
                }
                matches_.emplace(result, *std::move(match));
            } else if (const auto before =
                           flow_[result].roles != 0 ? match_before_dropout(result) : std::nullopt) {
                matches_.emplace(result, *before);
                if (before->node == walks_->softmax) {
                    drop_ = result;
                } else {
                    is_right_ = true;
                    outputs_.push_back(result);
                }
            } else if (flow_[result].roles != 0 && is_part(result, call)) {
                parts_.insert(result);
            }
        }
    }
    if (std::ranges::none_of(outputs_, [&](std::size_t id) { return matches_.at(id).row.has_value(); })) {
        return;
    }
    // A line that makes a right row makes only right ones, and sums that lead to them.
    const std::vector<std::size_t> behind =
        recording_->behind(outputs_, [&](std::size_t id) { return is_moving(id); });
    const auto is_wrong_row = [&](const RecordedCall& call) {
        const std::size_t result = call.results.empty() ? found_->x : call.results[0];
        return flow_[result].roles == flow_.used && !is_right_tensor(result) && !contains(behind, result) &&
               std::ranges::any_of(outputs_, [&](std::size_t row) {
                   return matches_.at(row).row && call.repeats(*maker(row));
               });
    };
    if (std::ranges::any_of(std::span(recording_->calls).first(found_->end), is_wrong_row)) {
        is_right_ = false;
        outputs_.clear();
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

// Returns true if an operand has numbers of another kind of attention.
bool LayerComparison::goes_on(const RecordedCall& call) const {
    return call.reads([&](std::size_t id) {
        const auto node = node_of(id);
        return node && walks_->is_replaced(*node);
    });
}

std::optional<LayerComparison::Own> LayerComparison::own_numbers(bool at_softmax) const {
    const StageTrace& trace = walks_->traces[0];
    const std::vector<RecordedCall>& calls = recording_->calls;
    const auto walked_at = [&](std::size_t node, std::size_t size) {
        return std::ranges::find_if(walks_->tensors, [&](const WalkedTensor& one) {
            return one.node == node && one.numbers.size() == size && !one.head;
        });
    };
    for (std::size_t i = differs_.empty() ? found_->end : differs_[0]; i < found_->end; ++i) {
        const std::size_t result = calls[i].results.empty() ? 0 : calls[i].results[0];
        if (!on_way_[i] || !is_other_[result] || !tensor(result).has_numbers || is_product(calls[i])) {
            continue;
        }
        std::vector<std::size_t> pending = calls[i].operands;
        for (std::size_t at = 0; at < pending.size(); ++at) {
            const std::size_t id = pending[at];
            if (flow_[id].is_mixed != flow_[result].is_mixed || flow_[id].roles != flow_[result].roles ||
                !made_at(id) || (is_other_[id] && is_product(*maker(id)))) {
                continue;
            }
            const auto* const match = match_of(id);
            if (is_other_[id] || match == nullptr || match->row || tensor(id).shape != tensor(result).shape) {
                const std::vector<std::size_t>& before = maker(id)->operands;
                std::ranges::copy_if(before, std::back_inserter(pending),
                                     [&](std::size_t one) { return !contains(pending, one); });
                continue;
            }
            std::size_t node = match->node;
            auto walked = walked_at(node, tensor(id).numbers.size());
            std::vector<std::size_t> order = match->order;
            const bool is_turned = flow_[result].is_turned && !flow_[id].is_mixed && trace.find("cos");
            const bool is_score = flow_[id].is_mixed && walked != walks_->tensors.end() && walked->is_square;
            if (is_turned && walked != walks_->tensors.end()) {
                const bool of_queries = walked->roles == 1U << roles.find('q');
                const auto heads = trace.find(of_queries ? "queries_heads" : "keys_heads");
                walked = heads ? walked_at(*heads, tensor(id).numbers.size()) : walks_->tensors.end();
                const auto again =
                    walked == walks_->tensors.end()
                        ? std::nullopt
                        : match_value(tensor(id), std::span(&*walked, 1), flow_[id].rounding, 0U);
                if (!again) {
                    continue;
                }
                order = again->order;
                node = trace.find(of_queries ? "queries_turned" : "keys_turned").value();
            } else if (is_score && (at_softmax || node >= walks_->first_detour)) {
                node = trace.node(walks_->softmax).call.inputs[0];
            } else if (node >= walks_->first_detour) {
                continue;
            }
            if (walked != walks_->tensors.end()) {
                return Own{node, in_walked_order(tensor(result), *walked, {.node = node, .order = order})};
            }
        }
    }
    return std::nullopt;
}

bool LayerComparison::is_right_tensor(std::size_t id) const {
    if (!made_at(id) || found_->is_input(id)) {
        return true;
    }
    if (std::ranges::any_of(found_->by_role, [&](const auto& one) {
            return one.second.result == id && (one.first == 'f' || one.second.to > 0);
        })) {
        return true;
    }
    if (flow_[id].is_foreign) {
        return false;
    }
    if (!tensor(id).has_numbers || is_outer(*maker(id))) {  // complex numbers
        return std::ranges::all_of(maker(id)->operands,
                                   [&](std::size_t operand) { return is_right_tensor(operand); });
    }
    if (tensor(id).numbers.size() == 1 && flow_[id].roles != 0) {
        const RecordedCall& part = *maker(id);  // one number of a right tensor
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
        const bool has_bias =
            !p.bias || p.result != recording_->calls[p.call].results[0] || contains(operands, *p.bias);
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

bool LayerComparison::reaches(std::string_view step) const {
    const auto node = walks_->traces[0].find(step);
    return node && std::ranges::any_of(matches_, [&](const auto& one) { return one.second.node == *node; });
}

std::string LayerComparison::name_of_node(std::size_t node) const {
    constexpr std::size_t most = 80;  // characters: numbers of the reader's own have no name
    const Notebook& nb = walks_->traces[0].notebook;
    std::string name = node < walks_->first_detour ? expression(nb, node, Language::torch) : "";
    return name.size() <= most ? name : "";
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
            call.results, [&](std::size_t id) { return made_at(id) == i && flow_[id].roles != 0; });
        if (!on_way_[i] || (!own && i != departs_)) {
            continue;
        }
        AlignedCall aligned{i, CallVerdict::detour, ""};
        for (const std::size_t id : call.results) {
            std::string& step = aligned.steps.emplace_back();
            if (const auto* const match = match_of(id)) {
                step = name_of_node(match->node);
                aligned.verdict = CallVerdict::right;
                aligned.step = step;
                const Node& node = trace.node(match->node);
                if (node.role == Role::step && match->node < walks_->first_detour) {
                    layer.output = node.name;
                    layer.place = trace.place(match->node);
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
            if (const auto node = node_of(id)) {
                const bool is_scaled = contains(walks_->prescaled, *node);
                operands.push_back(is_scaled ? trace.node(*node).call.inputs[0] : *node);
            }
        }
        const std::size_t rank = call.operands.empty() ? 0 : tensor(call.operands[0]).shape.size();
        const CallDifference difference = difference_of(call, rank, operands, *walks_);
        layer.right_line = difference.right_line;
        layer.right_step = trace.find(difference.right_step) ? difference.right_step : "";
        layer.yours = difference.yours;
        layer.right = difference.right;
        layer.keyword = difference.keyword;
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
