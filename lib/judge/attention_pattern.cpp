#include "judge/attention_pattern.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "judge/code_names.hpp"
#include "tensor/layout.hpp"
#include "tensor/reduce.hpp"

namespace attn {

namespace {

using PartKind = AttentionPart::Kind;

bool is_hidden(float x) {
    return x < -1e6F;
}

// f if `to` is f · `from`, apart from the numbers that it hides.
std::optional<double> factor_between(std::span<const float> to, std::span<const float> from, double slack) {
    if (to.size() != from.size()) {
        return std::nullopt;
    }
    std::size_t largest = from.size();
    for (std::size_t i = 0; i < from.size(); ++i) {
        const bool is_open = !is_hidden(from[i]) && !is_hidden(to[i]);
        largest =
            is_open && (largest == from.size() || std::abs(from[i]) > std::abs(from[largest])) ? i : largest;
    }
    if (largest == from.size() || from[largest] == 0.0F) {
        return std::nullopt;
    }
    const double factor = static_cast<double>(to[largest]) / static_cast<double>(from[largest]);
    const double most = std::abs(static_cast<double>(to[largest]));
    for (std::size_t i = 0; i < from.size(); ++i) {
        const double distance = std::abs(static_cast<double>(to[i]) - factor * static_cast<double>(from[i]));
        if (!is_hidden(to[i]) && (is_hidden(from[i]) || !(distance <= 1e-5 * most + 2.0 * slack))) {
            return std::nullopt;
        }
    }
    return factor;
}

// True if nothing is hidden, or exactly the later tokens: those behind the last ones of each row of (…, m,
// n).
template <typename Hidden>
bool hides_later_tokens(const Tensor& x, Hidden hidden) {
    const std::size_t n = x.rank() == 0 ? 1 : x.size(-1);
    const std::size_t m = x.rank() < 2 ? 1 : x.size(-2);
    std::size_t count = 0;
    bool is_causal = true;
    for (std::size_t i = 0; i < x.count(); ++i) {
        const std::size_t row = i / n % m;
        const bool is_later = i % n + m > row + n;
        count += hidden(x.values()[i]) ? 1 : 0;
        is_causal = is_causal && hidden(x.values()[i]) == is_later;
    }
    const bool is_suffix =
        m == 1 && std::ranges::is_partitioned(x.values(), [&](float one) { return !hidden(one); });
    return count == 0 || is_causal || is_suffix;
}

bool is_about(double x, double y) {
    return std::abs(x / y - 1.0) < 1e-3;
}

// True for a view that neither splits nor joins axes but moves numbers to other rows: (b, n, d) to (b, heads,
// n, d / heads). Between boundaries that both shapes have, one of them must have no boundary of its own.
bool moves_rows(const Shape& from, const Shape& to) {
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < from.rank() && j < to.rank()) {
        std::size_t before = from[i++];
        std::size_t after = to[j++];
        bool are_split = false;
        bool are_joined = false;
        while (before != after && (before < after ? i < from.rank() : j < to.rank())) {
            (before < after ? are_joined : are_split) = true;
            (before < after ? before : after) *= before < after ? from[i++] : to[j++];
        }
        if (are_split && are_joined) {
            return true;
        }
    }
    return false;
}

bool sums_to_one(const Tensor& x, int axis) {
    const Tensor sums = x.rank() == 0 ? x : sum(x, axis, false);
    return std::ranges::all_of(sums.values(), [](float one) { return std::abs(one - 1.0F) < 1e-3F; });
}

}  // namespace

AttentionPattern::AttentionPattern(const CodeGraph& graph) : graph_(graph), nodes_(graph.flow().nodes) {
    for (std::size_t id = 0; id < nodes_.size(); ++id) {
        parts_.push_back(nodes_[id].is_known ? part_of(id) : AttentionPart{});
        const AttentionPart& part = parts_.back();
        if (is_scaled_otherwise(id) &&
            is_about(part.factor, 1.0 / std::sqrt(static_cast<double>(parts_[part.query[0]].width)))) {
            mistakes_[id] = "scaled-by-d-in";
        }
    }
    find_members();
}

AttentionPart AttentionPattern::part_of(std::size_t id) {
    const Computed& node = nodes_[id];
    if (graph_.is_harmless(id)) {
        return {};
    }
    if (node.operands.empty()) {
        return {.kind = PartKind::leaf, .source = {id}};
    }
    if (multiplies(node.operation) || node.operation == "scaled_dot_product_attention") {
        return product_of(id);
    }
    const AttentionPart& first = parts_[node.operands[0]];
    const AttentionPart* const second = node.operands.size() == 2 && !graph_.is_harmless(node.operands[1])
                                            ? &parts_[node.operands[1]]
                                            : nullptr;
    if (node.operation == "mul" && second != nullptr && first.kind == PartKind::projection &&
        second->kind == PartKind::projection) {
        return product_of(id);
    }
    if (first.kind == PartKind::products && node.operation == "sum") {
        AttentionPart scores = first;
        scores.kind = PartKind::scores;
        scores.width = nodes_[node.operands[0]].value.count() / std::max<std::size_t>(node.value.count(), 1);
        scores.product = id;
        return scores;
    }
    const bool is_plain_sum = node.operation == "add" && second != nullptr && second->kind == PartKind::leaf;
    if (first.kind == PartKind::projection && is_plain_sum) {  // a bias
        return first;
    }
    if (node.operation == "softmax" && first.kind == PartKind::scores) {
        return weights_of(id, first);
    }
    if (node.operation == "softmax" && first.kind == PartKind::weights) {
        mistakes_[id] = "softmax-twice";
    }
    if (node.operation == "exp" && first.kind == PartKind::scores) {
        AttentionPart result = first;
        result.kind = PartKind::exponentials;
        return result;
    }
    if (node.operation == "div" && second != nullptr &&
        (first.kind == PartKind::exponentials || (first.kind == PartKind::weights && first.is_changed))) {
        return weights_of(id, first);
    }
    if (node.operation == "sub" && second != nullptr && first.kind == PartKind::scores) {  // less the largest
        std::size_t by = node.operands[1];
        while (is_move(nodes_[by].operation) && !nodes_[by].operands.empty()) {
            by = nodes_[by].operands[0];
        }
        return nodes_[by].operation == "max" ? first : AttentionPart{};
    }
    if (node.operation == "dropout") {
        return first.kind == PartKind::weights ? first : AttentionPart{};
    }
    return moved(id);
}

// Moves, scales and masks, and all functions of leaves.
AttentionPart AttentionPattern::moved(std::size_t id) const {
    const Computed& node = nodes_[id];
    const bool is_set =  // x[i] = value
        node.operation == "set" && node.operands.size() == 2 && !graph_.is_harmless(node.operands[1]);
    std::optional<AttentionPart> result;
    std::size_t from = 0;
    for (const std::size_t operand : node.operands) {
        if (graph_.is_harmless(operand) || (is_set && operand == node.operands[0])) {
            continue;
        }
        const AttentionPart& part = parts_[operand];
        const bool is_same = !result || (part.kind == result->kind && part.width == result->width &&
                                         is_about(part.factor, result->factor));
        if (part.kind == PartKind::other || !is_same) {
            return {};
        }
        from = result ? from : operand;
        result = result ? result : std::optional(part);
    }
    if (result && node.operation == "flip") {  // other tokens, or other features
        return result->kind == PartKind::leaf ? AttentionPart{.kind = PartKind::leaf, .source = {id}}
                                              : AttentionPart{};
    }
    if (!result || result->kind == PartKind::leaf) {
        const bool is_part = result && (node.operands.size() == 1 || node.operation != "stack");
        return !result   ? AttentionPart{}
               : is_part ? *result
                         : AttentionPart{.kind = PartKind::leaf, .source = {id}};
    }
    if (node.operation == "tensor" || is_set) {  // of numbers that Python may have scaled
        std::vector<float> numbers;
        std::vector<float> to(node.value.values().begin(), node.value.values().end());
        for (const std::size_t operand : node.operands) {
            const std::span<const float> values = nodes_[operand].value.values();
            if (is_set && operand == node.operands[0]) {
                std::size_t at = 0;
                std::erase_if(to, [&](float one) { return one == values[at++]; });  // the others
            } else {
                numbers.insert(numbers.end(), values.begin(), values.end());
            }
        }
        const std::optional<double> factor = factor_between(to, numbers, node.slack);
        result->factor *= factor.value_or(0.0);
        result->has_gaps = std::ranges::count(node.value.values(), 0.0F) > 0;
        const AttentionPart& whole = parts_[node.operands[0]];
        const bool is_first = !is_set || graph_.is_harmless(node.operands[0]);
        const bool fits = is_first || (whole.kind == result->kind && whole.width == result->width &&
                                       is_about(whole.factor, result->factor));
        return factor && *factor > 0.0 && fits ? *result : AttentionPart{};
    }
    if (node.operation == "view" && result->kind != PartKind::leaf &&
        moves_rows(nodes_[from].value.shape(), node.value.shape())) {
        return {};
    }
    if (is_move(node.operation)) {
        const bool is_taken = node.operation == "select" && result->kind == PartKind::projection;
        if (is_taken) {
            result->source.push_back(id);
        }
        const Tensor& before = nodes_[from].value;
        const bool is_turn = result->kind == PartKind::weights && before.rank() > 1 &&
                             before.size(-1) == before.size(-2) && !identical(node.value, before) &&
                             identical(node.value, transpose(before, -1, -2));
        result->is_turned = result->is_turned != is_turn;
        return *result;
    }
    const bool is_binary_mask = std::ranges::all_of(node.operands, [&](std::size_t operand) {
        return operand == from || std::ranges::all_of(nodes_[operand].value.values(),
                                                      [](float one) { return one == 0.0F || one == 1.0F; });
    });
    if (node.operation == "mul" && node.operands.size() == 2 && is_binary_mask &&
        (result->kind == PartKind::weights || result->kind == PartKind::exponentials)) {
        result->is_changed = true;
        return *result;
    }
    const std::optional<double> factor =
        factor_between(node.value.values(), nodes_[from].value.values(), node.slack);
    if (!factor || *factor <= 0.0 || result->kind == PartKind::context) {
        return {};
    }
    result->factor *= *factor;
    result->is_changed = result->kind == PartKind::weights;
    return *result;
}

// The product of inputs and weights, of queries and keys, or of attention weights and values.
AttentionPart AttentionPattern::product_of(std::size_t id) {
    const Computed& node = nodes_[id];
    const auto kind_of = [&](std::size_t i) {
        return i < node.operands.size() ? parts_[node.operands[i]].kind : PartKind::other;
    };
    if (node.operands.size() < 2) {
        return {};
    }
    const AttentionPart& a = parts_[node.operands[0]];
    const AttentionPart& b = parts_[node.operands[1]];
    const auto is_input = [](PartKind kind) {
        return kind == PartKind::leaf || kind == PartKind::projection || kind == PartKind::context;
    };
    const bool is_sum = node.operation != "mul";
    // Printed numbers may be anything, also attention weights.
    const bool is_weight = a.kind == PartKind::leaf && nodes_[node.operands[0]].operation != "printed";
    if (is_sum && ((is_input(a.kind) && b.kind == PartKind::leaf) || (is_weight && is_input(b.kind))) &&
        a.source != b.source) {
        const std::size_t input = b.kind == PartKind::leaf ? 0 : 1;
        const std::size_t first = projections_.emplace(node.operands, id).first->second;
        return {.kind = PartKind::projection,
                .source = {first},
                .width = nodes_[node.operands[input]].value.size(-1)};
    }
    const bool are_projected = a.kind == PartKind::projection && b.kind == PartKind::projection;
    if (node.operation == "scaled_dot_product_attention") {
        const AttentionPart* const v =
            kind_of(2) == PartKind::projection ? &parts_[node.operands[2]] : nullptr;
        const bool is_right = are_projected && a.source != b.source && v != nullptr &&
                              node.operands.size() == 3 && v->source != a.source && v->source != b.source;
        return is_right ? AttentionPart{.kind = PartKind::context} : AttentionPart{};
    }
    if (are_projected) {
        const Tensor& query = nodes_[node.operands[0]].value;
        const std::size_t columns = node.value.rank() == 0 || query.rank() < 2 ? 1 : node.value.size(-1);
        const auto is_named = [&](const AttentionPart& one, std::string_view name) {
            return graph_.named_step(one.source[0]) == name;
        };
        return {.kind = is_sum ? PartKind::scores : PartKind::products,
                .query = a.source,
                .key = b.source,
                .factor = a.factor * b.factor,
                .width = node.operation == "matmul"
                             ? query.size(-1)
                             : query.count() * columns / std::max<std::size_t>(node.value.count(), 1),
                .product = id,
                .is_named_backwards = node.value.rank() > 1 && is_named(a, "keys") && is_named(b, "queries")};
    }
    const bool weights_first = a.kind == PartKind::weights;
    const AttentionPart& weights = weights_first ? a : b;
    const AttentionPart& values = weights_first ? b : a;
    const bool is_of_keys = values.source == weights.key;  // wrong also with dropped weights
    if (!is_sum || weights.kind != PartKind::weights || (weights.is_changed && !is_of_keys) ||
        values.kind != PartKind::projection || input_of(values.source) != input_of(weights.key)) {
        return {};
    }
    if (weights_first && weights.is_turned) {
        mistakes_[id] = "weights-transposed";
    } else if (weights.query == weights.key && !is_of_keys) {
        mistakes_[weights.product] = "same-projection";
    } else if (is_of_keys && weights.query != weights.key) {
        mistakes_[id] = "keys-for-values";
    } else if (values.source != weights.query) {
        return {.kind = PartKind::context};
    }
    return {};
}

const AttentionPart::Source& AttentionPattern::input_of(const AttentionPart::Source& projection) const {
    return parts_[nodes_[projection[0]].operands[0]].source;
}

AttentionPart AttentionPattern::weights_of(std::size_t id, AttentionPart scores) {
    const double right = 1.0 / std::sqrt(static_cast<double>(scores.width));
    const Tensor& x = nodes_[id].value;
    const bool is_projected = scores.query != scores.key;  // else the inputs themselves may be a product
    const bool is_of_queries = std::ranges::any_of(graph_.users(id), [&](std::size_t user) {
        return nodes_[user].operation == "matmul" && nodes_[user].operands[0] == id;  // weights @ V
    });
    if (is_projected && is_of_queries && x.rank() > 1 && !sums_to_one(x, -1) && sums_to_one(x, -2) &&
        !scores.is_named_backwards && input_of(scores.query) == input_of(scores.key)) {
        mistakes_[id] = "softmax-wrong-axis";
    }
    const bool is_usual = sums_to_one(x, -1) && !scores.has_gaps && !scores.is_named_backwards &&
                          hides_later_tokens(x, [](float one) { return one == 0.0F; });
    if (is_projected && is_usual && !is_about(scores.factor, right)) {
        mistakes_[id] = is_about(scores.factor, 1.0) ? "no-scaling" : "scaled-by-other-number";
    }
    scores.kind = is_usual && is_about(scores.factor, right) ? PartKind::weights : PartKind::other;
    scores.is_changed = false;
    return scores;
}

// Marks what leads to weights, and the contexts.
void AttentionPattern::find_members() {
    belongs_.assign(nodes_.size(), false);
    for (std::size_t id = nodes_.size(); id-- > 0;) {
        const PartKind kind = parts_[id].kind;
        belongs_[id] =
            belongs_[id] || kind == PartKind::weights || kind == PartKind::context || mistakes_.contains(id);
        for (const std::size_t operand : belongs_[id] ? nodes_[id].operands : Ids()) {
            belongs_[operand] = belongs_[operand] || !graph_.is_harmless(operand);
        }
    }
    for (std::size_t id = 0; id < nodes_.size(); ++id) {  // other layers of a projected input
        const bool is_used =
            std::ranges::any_of(nodes_[id].operands, [&](std::size_t operand) { return belongs_[operand]; });
        belongs_[id] = belongs_[id] ||
                       (is_used && parts_[id].kind != PartKind::other && parts_[id].kind != PartKind::leaf);
    }
}

bool AttentionPattern::has_usual_factor(std::size_t id) const {
    const AttentionPart& part = parts_[id];
    return is_about(part.factor, 1.0) ||
           is_about(part.factor, 1.0 / std::sqrt(static_cast<double>(part.width)));
}

bool AttentionPattern::is_scaled_otherwise(std::size_t id) const {
    const std::string& operation = nodes_[id].operation;
    return (operation == "div" || operation == "mul") && parts_[id].kind == PartKind::scores &&
           !has_usual_factor(id);
}

bool AttentionPattern::is_right(std::size_t id) const {
    const AttentionPart& part = parts_[id];
    return belongs_[id] &&
           (part.kind == PartKind::projection || part.kind == PartKind::context ||
            (part.kind == PartKind::weights && !part.is_changed && part.query != part.key) ||
            (part.kind == PartKind::scores && part.query != part.key && has_usual_factor(id) &&
             !part.is_named_backwards && hides_later_tokens(nodes_[id].value, is_hidden)));
}

std::string_view AttentionPattern::mistake(std::size_t id) const {
    const auto found = mistakes_.find(id);
    return found == mistakes_.end() ? "" : found->second;
}

}  // namespace attn
