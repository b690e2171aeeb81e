#include "watch/unprojected_layers.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "watch/recorded_ops.hpp"

namespace attn {

namespace {

// Returns the whole inputs of which a tensor is a part: a matrix of which rows are read.
OptionalIndex whole_inputs(const Recording& recording, std::size_t id) {
    id = recording.before(id, [](const RecordedCall& call) {
        return is_one_of(call.op, {"__getitem__", "unbind", "__iter__", "select", "T", "t", "mT", "transpose",
                                   "flip", "clone", "detach"});
    });
    const bool is_whole = is_source(recording, id) || recording.maker(id)->kind == "add";
    const RecordedTensor& whole = recording.tensors[id];
    return is_whole && whole.shape.size() == 2 && !whole.is_parameter ? std::optional(id) : std::nullopt;
}

bool is_given(const Recording& recording, std::size_t id) {
    const RecordedTensor& tensor = recording.tensors[id];
    return is_source(recording, id) && tensor.shape.size() > 1 && !tensor.is_parameter;
}

// Returns the queries or keys that are given and then turned by their positions, or the tensor itself.
std::size_t given_behind(const Recording& recording, std::size_t id) {
    id = before_transposing(recording, id);
    std::set<std::size_t> given;
    for (const std::size_t one : recording.behind({id}, [&](std::size_t made) {
             return !is_one_of(recording.maker(made)->kind, {"matmul", "softmax"});
         })) {
        if (recording.tensors[one].shape == recording.tensors[id].shape && is_root(recording, one) &&
            is_given(recording, one)) {
            given.insert(one);
        }
    }
    return given.size() == 1 ? *given.begin() : id;
}

// Returns the given values by which a later product multiplies what comes from this call.
OptionalIndex given_values(const Recording& recording, std::size_t at) {
    std::vector<bool> reached(recording.tensors.size());
    reached[recording.calls[at].results[0]] = true;
    for (std::size_t i = at + 1; i < recording.calls.size(); ++i) {
        const RecordedCall& next = recording.calls[i];
        if (!next.reads([&](std::size_t id) { return reached[id]; })) {
            continue;
        }
        OptionalIndex values;
        for (const std::size_t operand : next.operands) {
            const std::size_t id = before_transposing(recording, operand);
            if (next.kind == "matmul" && !reached[operand] && is_given(recording, id)) {
                values = id;
            }
        }
        if (values) {
            return values;
        }
        for (const std::size_t id : next.results) {
            reached[id] = true;
        }
    }
    return std::nullopt;
}

// Returns the layer whose product of given queries and keys is this call.
std::optional<AttentionLayer> layer_of_scores(const Recording& recording, std::size_t at) {
    const RecordedCall& call = recording.calls[at];
    const bool fused = is_sdpa(call);
    const std::size_t first = first_factor(call);
    if (!is_product(call) || call.operands.size() < first + (fused ? 3 : 2)) {
        return std::nullopt;
    }
    const std::size_t q = given_behind(recording, call.operands[first]);
    const std::size_t k = given_behind(recording, call.operands[first + 1]);
    const auto is_like_queries = [&](std::size_t id) {
        return is_given(recording, id) && recording.tensors[id].shape == recording.tensors[q].shape;
    };
    if (q == k || !is_like_queries(q) || !is_like_queries(k)) {
        return std::nullopt;
    }
    const OptionalIndex v =
        fused ? before_transposing(recording, call.operands[2]) : given_values(recording, at);
    if (!v || !is_like_queries(*v)) {
        return std::nullopt;
    }
    return AttentionLayer{.first_call = at,
                          .x = q,
                          .by_role = {{'q', {at, q, q, q}}, {'k', {at, k, k, k}}, {'v', {at, *v, *v, *v}}},
                          .is_given = true};
}

}  // namespace

std::optional<AttentionLayer> layer_of_module(const Recording& recording, std::size_t at) {
    const RecordedCall& call = recording.calls[at];
    const std::vector<std::size_t>& operands = call.operands;
    if (!is_module(call) || operands.size() < 5 || call.results.empty() ||
        recording.tensors[operands[3]].shape.size() != 2) {
        return std::nullopt;
    }
    Projection fused{at, operands[0], operands[3], call.results[0]};
    const bool biased = operands.size() > 5 && recording.tensors[operands[4]].shape.size() == 1;
    Projection out = fused;
    out.weight = operands[biased ? 5 : 4];
    if (biased) {
        fused.bias = operands[4];
        out.bias = operands.size() > 6 ? std::optional(operands[6]) : std::nullopt;
    }
    const double heads = call.arguments.size() > 1 ? call.arguments[1].second : 1.0;
    AttentionLayer layer{.first_call = at,
                         .x = fused.x,
                         .by_role = {{'f', fused}},
                         .name = name_of_layer(recording.tensors[fused.weight]),
                         .heads = static_cast<std::size_t>(std::clamp(heads, 1.0, 1e6)),
                         .out_proj = out};
    // Cross-attention takes two inputs. If the batch is their first axis, the module moves it behind the
    // tokens; these are before that.
    const auto given = [&](std::size_t place) { return before_transposing(recording, operands[place]); };
    const auto are_same = [&](std::size_t a, std::size_t b) {  // memory[:, :3], for keys and for values
        const RecordedTensor &one = recording.tensors[given(a)], &other = recording.tensors[given(b)];
        return given(a) == given(b) || (one.has_numbers && other.has_numbers && one.shape == other.shape &&
                                        one.numbers == other.numbers);
    };
    layer.is_sequence_first = recording.tensors[fused.x].shape.size() == 3;
    if (!are_same(0, 1) && are_same(1, 2)) {
        layer.is_sequence_first = layer.is_sequence_first && given(0) == operands[0];
        const std::size_t width = recording.tensors[fused.weight].shape[1];
        layer.x = fused.x = given(0);
        layer.memory = given(1);
        layer.by_role.clear();
        for (std::size_t r = 0; r < roles.size(); ++r) {
            Projection& part = layer.by_role[roles[r]] = fused;
            part.x = r == 0 ? layer.x : *layer.memory;
            part.from = r * width;
            part.to = part.from + width;
        }
    }
    return layer;
}

void add_simplified(const Recording& recording, std::vector<AttentionLayer>& found) {
    const auto is_weight = [&](std::size_t id) {
        return std::ranges::any_of(found, [&](const AttentionLayer& layer) {
            return std::ranges::any_of(layer.by_role,
                                       [&](const auto& one) { return one.second.weight == id; });
        });
    };
    std::map<std::size_t, AttentionLayer> by_inputs;
    for (std::size_t i = 0; i < recording.calls.size(); ++i) {
        const RecordedCall& call = recording.calls[i];
        if (call.kind != "matmul" || call.operands.size() != 2) {
            continue;
        }
        const auto x = whole_inputs(recording, call.operands[0]);
        if (x && x == whole_inputs(recording, call.operands[1]) && !is_weight(*x)) {
            const AttentionLayer layer{.first_call = i, .x = *x, .is_simplified = true};
            by_inputs.try_emplace(*x, layer).first->second.rows.emplace_back('q', call.results[0]);
        }
    }
    for (auto& [x, layer] : by_inputs) {
        found.push_back(std::move(layer));
    }
}

std::optional<AttentionLayer> layer_of_given(const Recording& recording) {
    for (std::size_t i = 0; i < recording.calls.size(); ++i) {
        if (auto layer = layer_of_scores(recording, i)) {
            return layer;
        }
    }
    return std::nullopt;
}

}  // namespace attn
