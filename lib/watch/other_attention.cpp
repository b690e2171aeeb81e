#include "watch/other_attention.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>
#include <string>
#include <tuple>

#include "text/lists.hpp"
#include "watch/call_judgement.hpp"
#include "watch/recorded_ops.hpp"

namespace attn {

std::optional<double> factor_of(const LayerMatch& layer, const RecordedCall& call, std::size_t scaled) {
    const std::vector<float>& before = layer.tensor(scaled).numbers;
    const std::vector<float>& after = layer.tensor(call.results[0]).numbers;
    const auto most = std::ranges::max_element(before, {}, [](float x) { return std::abs(x); });
    const bool is_score = (layer.flow[scaled].roles & bit_of('v')) == 0 || layer.is_fused();
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

namespace {

// Returns true if queries, keys or scores are scaled by a number that is neither a power of a size, such as
// √d_k, nor half a size, which d_k**1/2 gives.
bool has_temperature(const LayerMatch& layer, const RecordedCall& call, std::size_t scaled) {
    const auto factor = factor_of(layer, call, scaled);
    if (!factor) {
        return false;
    }
    const Parameters& form = layer.trace().parameters;
    std::set<std::size_t> sizes{layer.walks->n, form.d_in, form.d_out, form.num_heads};
    std::vector<std::size_t> shaped{scaled, layer.x};
    for (const auto& [role, p] : layer.by_role) {
        shaped.push_back(p.result);
    }
    for (const std::size_t id : shaped) {
        sizes.insert(layer.tensor(id).shape.begin(), layer.tensor(id).shape.end());
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

// Returns true if an operand has numbers of another kind of attention.
bool goes_on(const LayerMatch& layer, const RecordedCall& call) {
    return call.reads([&](std::size_t id) {
        const auto node = layer.node_of(id);
        return node && layer.walks->is_replaced(*node);
    });
}

// Returns true for queries, keys or values that the walk has not: it is not that of the reader's code.
bool is_projection(const LayerMatch& layer, std::size_t id) {
    const auto is_own = [&](const auto& one) {
        const Projection& p = one.second;
        const std::vector<std::size_t>& operands = layer.calls[p.call].operands;
        const bool has_bias =
            !p.bias || p.result != layer.calls[p.call].results[0] || contains(operands, *p.bias);
        return p.is_used && p.result == id && has_bias;
    };
    return layer.is_joined() &&
           (std::ranges::any_of(layer.by_role, is_own) || std::ranges::any_of(layer.past_by_role, is_own));
}

using Step = std::tuple<std::size_t, std::string, unsigned>;  // line, operation and weights

Step step_of(const LayerMatch& layer, const RecordedCall& call) {
    return {call.line, call.op, call.operands.empty() ? 0U : layer.flow[call.operands[0]].needs};
}

// Returns the operations before the context vectors that no stage has.
std::set<Step> foreign_steps(const LayerMatch& layer) {
    std::set<Step> foreign;
    for (std::size_t i = 0; layer.last && i <= *layer.last; ++i) {
        const RecordedCall& call = layer.calls[i];
        if (layer.way.has[i] && !layer.way.comes_right[i] && !call.operands.empty() && layer.is_own(call) &&
            !layer.matches.contains(call.results[0]) && !layer.flow[call.operands[0]].is_context &&
            is_foreign(call.kind)) {
            foreign.insert(step_of(layer, call));
        }
    }
    return foreign;
}

// Returns true if a call that departs belongs to another kind of attention.
bool is_of_other_attention(const LayerMatch& layer, const RecordedCall& call, std::size_t foreign_steps) {
    // Behind numbers of another kind of attention, only its own steps are expected.
    const bool is_own = goes_on(layer, call) &&
                        (is_product(call) ? call.reads([&](auto id) { return layer.flow[id].is_mixed; })
                                          : !is_one_of(call.kind, {"softmax", "masked_fill", "layout"}));
    // If stages lack some operation, it can be a mistake only in the call itself.
    const bool is_foreign_step = is_foreign(call.kind);
    return is_own || foreign_steps + (is_foreign_step ? 0 : 1) > 1 || is_projection(layer, call.results[0]) ||
           !is_of_stage(layer, call) ||
           (layer.walks->has_replaced() && (call.kind == "scale" || is_foreign_step));
}

}  // namespace

bool is_of_stage(const LayerMatch& layer, const RecordedCall& call) {
    const auto is_factor = [&](std::size_t id) { return !layer.is_moving(id); };
    const auto moving = std::ranges::find_if_not(call.operands, is_factor);
    if (moving == call.operands.end()) {
        return true;
    }
    const Parameters& form = layer.trace().parameters;
    const std::size_t d = form.num_heads > 0 ? form.d_out / form.num_heads : form.d_out;
    const bool has_rotation = layer.trace().find("cos").has_value();
    if (call.kind == "scale" && has_temperature(layer, call, *moving)) {
        return false;
    }
    for (const std::size_t id : call.operands) {
        const bool is_learned =
            layer.flow[id].is_learned && !layer.flow[id].is_mask && layer.tensor(id).numbers.size() > 1;
        // The angles of a rotation may be parameters.
        if (is_learned && !has_rotation && is_one_of(call.kind, {"scale", "add", "sub", "matmul"})) {
            return false;
        }
    }
    const auto turns_part = [&](const RecordedCall& joins) {
        const auto is_turned = [&](std::size_t id) { return layer.flow[id].is_turned; };
        return joins.kind == "cat" && joins.operands.size() > 1 &&
               layer.tensor(joins.results[0]).size(-1) != layer.tensor(joins.operands[0]).size(-1) &&
               joins.reads(is_turned) && !std::ranges::all_of(joins.operands, is_turned) &&
               layer.is_moving(joins.results[0]);
    };
    if (has_rotation && !layer.flow[*moving].is_mixed && std::ranges::any_of(layer.calls, turns_part)) {
        return false;
    }
    if (call.op == "__setitem__" && !layer.is_moving(call.operands[0]) &&
        std::ranges::none_of(layer.walks->tensors, [&](const WalkedTensor& one) {
            return one.numbers.size() == layer.tensor(call.operands[0]).numbers.size();
        })) {
        return false;  // a cache with places for later tokens
    }
    const std::vector<std::size_t>& shape = layer.tensor(*moving).shape;
    const std::size_t n = layer.walks->n;
    if (call.kind == "layout" && shape.size() > 2 && !layer.is_joined() && (shape.back() != n || d == n) &&
        std::find(shape.begin(), shape.end() - 1, n) == shape.end() - 1) {
        for (std::size_t axis = 0; axis + 2 < shape.size(); ++axis) {
            if (shape[axis] > 1 && shape[axis + 1] > 1 && shape[axis] * shape[axis + 1] == n) {
                return false;  // windows of tokens
            }
        }
    }
    if (call.kind == "layout" && !layer.past.empty()) {  // a window keeps the newest tokens of a cache
        const RecordedTensor& all = layer.tensor(*moving);
        const RecordedTensor& part = layer.tensor(call.results[0]);
        return part.numbers.empty() || all.numbers.empty() || part.numbers.size() == all.numbers.size() ||
               part.numbers.back() != all.numbers.back();
    }
    return true;
}

OtherAttention other_attention(const LayerMatch& layer) {
    OtherAttention other{.is_other = std::vector<bool>(layer.recording->tensors.size())};
    if (!layer.last || !layer.outputs.empty() || layer.has_unknown_order()) {
        return other;
    }
    const std::set<Step> foreign = foreign_steps(layer);
    // The calls before one with a cache are judged on their own.
    for (std::size_t i = layer.past.empty() ? 0 : layer.first_call; i <= *layer.last && !other.departs; ++i) {
        const RecordedCall& call = layer.calls[i];
        const bool is_padded = pads_keys(call), follows = is_padded || other.precedes(call);
        const bool is_wrong =
            layer.way.has[i] && !follows && !layer.way.comes_right[i] && departs(layer, call);
        const bool is_other = is_wrong && is_of_other_attention(layer, call, foreign.size());
        if (is_other || (layer.way.has[i] && is_padded)) {
            other.calls.push_back(i);
        } else if (is_wrong) {
            other.departs = i;
        }
        for (const std::size_t result : call.results) {
            other.is_other[result] = other.is_other[result] || follows || is_other;
        }
    }
    return other;
}

void add_first_difference(const LayerMatch& layer, OtherAttention& other) {
    for (std::size_t i = layer.first_call; layer.last && i <= *layer.last; ++i) {
        const RecordedCall& call = layer.calls[i];
        const bool is_first = other.calls.empty() && layer.way.has[i] && !layer.way.comes_right[i] &&
                              layer.is_own(call) && !layer.is_right(call.results[0]);
        if (is_first) {
            other.calls.push_back(i);
        }
        const bool is_other = is_first || other.precedes(call);
        for (const std::size_t result : call.results) {
            other.is_other[result] = is_other;
        }
    }
}

void add_foreign_steps(const LayerMatch& layer, OtherAttention& other) {
    const std::set<Step> foreign = foreign_steps(layer);
    for (std::size_t i = other.calls.empty() ? layer.end : other.calls[0] + 1; layer.last && i <= *layer.last;
         ++i) {
        if (foreign.contains(step_of(layer, layer.calls[i]))) {
            other.calls.push_back(i);
        }
    }
}

}  // namespace attn
