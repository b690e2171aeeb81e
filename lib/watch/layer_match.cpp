#include "watch/layer_match.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include "notebook/render.hpp"
#include "text/lists.hpp"
#include "watch/recorded_masks.hpp"
#include "watch/recorded_ops.hpp"

namespace attn {

namespace {

// Walked tensors with more numbers are compared as wholes only.
constexpr std::size_t most_sorted = std::size_t{1} << 18U;

}  // namespace

LayerMatch::LayerMatch(const Recording& all, const AttentionLayer& layer, const LayerWalks& walked)
    : AttentionLayer(layer), recording(&all), calls(all.calls), walks(&walked), flow(follow(all, layer)) {
    std::vector<WalkedTensor> walked_outputs;
    std::ranges::copy_if(walks->tensors, std::back_inserter(walked_outputs),
                         [&](const WalkedTensor& one) { return one.node == walks->output && !one.head; });
    for (std::size_t i = 0; i < end; ++i) {
        for (const std::size_t id : calls[i].results) {
            if (made_at(id) == i && is_moving(id) && !is_input(id)) {
                match_result(calls[i], id, walked_outputs);
            }
        }
    }
    forget_chance_rows();
    last = call_of_output();
    way = branch(last ? calls_to(*last) : std::vector<bool>(calls.size()), last ? *last + 1 : 0);
    own = branch(own_calls(), end);
}

// Returns the match of the weights, or of the output, from which dropout made a result: some numbers are
// zero, and the others are scaled up.
std::optional<ValueMatch> LayerMatch::match_before_dropout(std::size_t result) const {
    bool is_random = false;
    std::size_t id = result;
    for (int steps = 0; steps < 4 && made_at(id); ++steps) {
        const RecordedCall& call = *maker(id);
        is_random = is_random || contains(call.op, "dropout") ||
                    call.reads([&](auto operand) { return flow[operand].is_random; });
        const auto next =
            std::ranges::find_if(call.operands, [&](auto operand) { return is_moving(operand); });
        if (next == call.operands.end() || call.kind == "matmul") {
            return std::nullopt;
        }
        id = *next;
        const auto* const match = match_of(id);
        if (match == nullptr || (match->node != walks->softmax && match->node != walks->output)) {
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
                agrees = std::abs(ratio - scale) <= std::max(1e-4, flow[result].rounding) * scale;
            }
        }
        return agrees && scale > 1.001 ? std::optional(*match) : std::nullopt;
    }
    return std::nullopt;
}

void LayerMatch::match_result(const RecordedCall& call, std::size_t id,
                              const std::vector<WalkedTensor>& walked_outputs) {
    TensorFlow& result = flow[id];
    for (const std::size_t operand : is_unrelated(call.op) ? std::vector<std::size_t>() : call.operands) {
        result.needs |= flow[operand].needs;
    }
    // A part of a wrong tensor is right by chance, such as the first row behind a mask.
    if (call.kind == "layout" && !call.operands.empty() && flow[call.operands[0]].needs != 0 &&
        tensor(id).numbers.size() < tensor(call.operands[0]).numbers.size() && !is_right(call.operands[0])) {
        return;
    }
    const auto match_among = [&](std::span<const WalkedTensor> walked, bool is_row) {
        return match_value(tensor(id), walked, result.rounding, result.needs, is_row);
    };
    const auto roles_of = [&](const ValueMatch& match) {
        return std::ranges::find(walks->tensors, match.node, &WalkedTensor::node)->roles;
    };
    auto match = match_among(walks->tensors, true);
    // Equal to the inputs, although it comes from a projection.
    if (match && result.roles != 0 && !is_simplified && roles_of(*match) == 0) {
        std::vector<WalkedTensor> projected;
        std::ranges::copy_if(walks->tensors, std::back_inserter(projected),
                             [](const WalkedTensor& one) { return one.roles != 0; });
        match = match_among(projected, true);
    }
    bool is_output = false;
    if (match) {
        const auto whole = match_among(walked_outputs, result.is_row);
        result.needs |= roles_of(*match);
        is_output = result.roles == flow.used && whole && !whole->is_permuted;
    } else if (result.roles != 0) {
        match = match_before_dropout(id);
        is_output = match && match->node != walks->softmax;
        drop_ = match && !is_output ? id : drop_;
    }
    if (is_output) {
        outputs.push_back(id);
    }
    if (match) {
        matches.emplace(id, *std::move(match));
    } else if (result.roles != 0 && is_part(id, call)) {
        parts_.insert(id);
    }
}

// A line that makes a right row makes only right ones, and sums that lead to them. Otherwise the row is right
// by chance.
void LayerMatch::forget_chance_rows() {
    if (std::ranges::none_of(outputs, [&](std::size_t id) { return matches.at(id).row.has_value(); })) {
        return;
    }
    const std::vector<std::size_t> behind =
        recording->behind(outputs, [&](std::size_t id) { return is_moving(id); });
    const auto is_wrong_row = [&](const RecordedCall& call) {
        const std::size_t result = call.results.empty() ? x : call.results[0];
        return flow[result].roles == flow.used && !is_right(result) && !contains(behind, result) &&
               std::ranges::any_of(outputs, [&](std::size_t row) {
                   return matches.at(row).row && call.repeats(*maker(row));
               });
    };
    if (std::ranges::any_of(calls.first(end), is_wrong_row)) {
        outputs.clear();
    }
}

// Returns true if all numbers are in one walked tensor. One that has as many numbers must have them in the
// same order.
bool LayerMatch::is_part(std::size_t id, const RecordedCall& maker) {
    const RecordedTensor& part = tensor(id);
    const bool moves = maker.kind == "layout" && !maker.operands.empty();
    if (!part.has_numbers || part.numbers.empty()) {
        return false;
    }
    if (part.numbers.size() < least_part) {
        return moves && is_right(maker.operands[0]);
    }
    bool found = false;
    for (const WalkedTensor& one : walks->tensors) {
        if (one.numbers.size() > most_sorted || (one.roles != 0 && (flow[id].needs & ~one.roles) != 0)) {
            continue;
        }
        const auto [sorted, is_new] = sorted_.try_emplace(one.node, one.numbers);
        if (is_new) {
            std::ranges::sort(sorted->second);
        }
        if (sorted->second.size() == one.numbers.size() &&
            is_among(part, sorted->second, flow[id].rounding)) {
            if (one.numbers.size() == part.numbers.size()) {
                return false;
            }
            found = true;
        }
    }
    return found;
}

std::optional<std::vector<float>> LayerMatch::dropped_weights() const {
    if (!drop_ || is_joined()) {
        return std::nullopt;
    }
    const ValueMatch& match = matches.at(*drop_);
    const auto walked = std::ranges::find(walks->tensors, match.node, &WalkedTensor::node);
    if (walked->numbers.size() != tensor(*drop_).numbers.size()) {  // of one head or sequence
        return std::nullopt;
    }
    return in_walked_order(tensor(*drop_), *walked, match);
}

bool LayerMatch::is_right(std::size_t id) const {
    if (!made_at(id) || is_input(id)) {
        return true;
    }
    if (std::ranges::any_of(by_role, [&](const auto& one) {
            return one.second.result == id && (one.first == 'f' || one.second.to > 0);
        })) {
        return true;
    }
    if (flow[id].is_foreign) {
        return false;
    }
    if (!tensor(id).has_numbers || is_outer(*maker(id))) {  // large, complex, or summed later
        return std::ranges::all_of(maker(id)->operands,
                                   [&](std::size_t operand) { return is_right(operand); });
    }
    if (tensor(id).numbers.size() == 1 && flow[id].roles != 0) {
        const RecordedCall& part = *maker(id);  // one number of a right tensor
        return part.kind == "layout" && !part.operands.empty() && matches.contains(part.operands[0]);
    }
    return is_moving(id) ? matches.contains(id) || parts_.contains(id) || flow[id].roles == 0
                         : !flow[id].is_mask || flow[id].is_random || may_be_causal_mask(tensor(id));
}

bool LayerMatch::is_outer(const RecordedCall& call) const {
    return call.kind == "scale" && call.operands.size() == 2 &&
           std::ranges::all_of(call.operands, [&](std::size_t id) {
               return is_moving(id) && tensor(id).numbers.size() < tensor(call.results[0]).numbers.size();
           });
}

bool LayerMatch::is_own(const RecordedCall& call) const {
    return !call.results.empty() && flow[call.results[0]].roles != 0;
}

bool LayerMatch::has_other_role(std::size_t id) const {
    const auto node = node_of(id);
    RecordedTensor right;
    right.names = {node && made_at(id) ? name_of_node(*node) : ""};
    const auto named = role_of(tensor(id)), role = role_of(right);
    return named && role && named->role != role->role;
}

std::size_t LayerMatch::right_calls() const {
    std::size_t count = 0;
    for (const auto& [id, match] : matches) {
        count += flow[id].roles != 0;
    }
    return count;
}

bool LayerMatch::reaches(std::string_view step) const {
    const auto node = trace().find(step);
    return node && std::ranges::any_of(matches, [&](const auto& one) { return one.second.node == *node; });
}

std::string LayerMatch::name_of_node(std::size_t node) const {
    constexpr std::size_t most = 80;  // characters: numbers of the reader's own have no text
    const Notebook& nb = trace().notebook;
    std::string text = node < walks->first_detour ? expression(nb, node, Language::torch) : "";
    return text.size() <= most ? text : "";
}

// Returns the call of the output: the last one whose result depends on most projections.
OptionalIndex LayerMatch::call_of_output() const {
    if (!outputs.empty()) {
        return made_at(outputs.back());
    }
    OptionalIndex output;
    int most = 1;
    for (std::size_t i = first_call; i < end; ++i) {
        for (const std::size_t result : calls[i].results) {
            const int count = std::popcount(flow[result].roles);
            if (count >= most && made_at(result) == i) {
                most = count;
                output = i;
            }
        }
    }
    return output;
}

std::vector<bool> LayerMatch::calls_to(std::size_t at) const {
    std::vector<bool> has(calls.size());
    const auto is_made = [&](std::size_t id) { return !is_input(id) && !is_weight(id); };
    for (const std::size_t id : recording->behind(calls[at].results, is_made)) {
        if (made_at(id) && is_made(id)) {
            has[*made_at(id)] = true;
        }
    }
    return has;
}

// Returns the calls with projections, and those that make constants for them.
std::vector<bool> LayerMatch::own_calls() const {
    std::vector<bool> has(calls.size());
    std::vector<bool> used(recording->tensors.size());  // by a call of the layer
    for (std::size_t i = end; i-- > 0;) {
        const auto depends = [&](std::size_t id) { return made_at(id) == i && flow[id].roles != 0; };
        has[i] = std::ranges::any_of(calls[i].results, depends);
        const bool feeds = std::ranges::any_of(calls[i].results, [&](std::size_t id) { return used[id]; });
        for (const std::size_t operand : calls[i].operands) {
            used[operand] = used[operand] || has[i] || (feeds && flow[operand].roles == 0);
        }
        has[i] = has[i] || feeds;
    }
    return has;
}

Branch LayerMatch::branch(std::vector<bool> has, std::size_t to) const {
    std::vector<bool> comes_right(has.size());
    std::vector<bool> tensor_comes_right(recording->tensors.size());
    for (std::size_t i = to; i-- > 0;) {
        const RecordedCall& call = calls[i];
        if (!has[i]) {
            continue;
        }
        bool after = false;
        bool here = false;
        for (const std::size_t result : call.results) {
            after = after || tensor_comes_right[result];
            const auto* const match = match_of(result);
            here = here || (match != nullptr && !match->is_swapped && flow[result].roles != 0);
        }
        comes_right[i] = after;
        for (const std::size_t operand : call.operands) {
            tensor_comes_right[operand] = tensor_comes_right[operand] || after || here;
        }
    }
    return {std::move(has), std::move(comes_right)};
}

}  // namespace attn
