// Says which recorded tensors of a layer are which walked ones, and which calls lead to the layer's output.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "watch/attention_layer.hpp"
#include "watch/layer_walks.hpp"
#include "watch/tensor_flow.hpp"
#include "watch/value_match.hpp"

namespace attn {

constexpr std::size_t least_part = 4;  // fewer numbers are too few to be recognised

// Some calls of a layer, and whether a right result follows each of them by way of the others.
struct Branch {
    std::vector<bool> has, comes_right;  // of each call
};

// A layer, and what its tensors match. The constructor finds all of it; afterwards, a match is only read.
class LayerMatch : public AttentionLayer {
public:
    LayerMatch(const Recording& recording, const AttentionLayer& found, const LayerWalks& walks);

    const RecordedTensor& tensor(std::size_t id) const { return recording->tensors[id]; }
    const RecordedCall* maker(std::size_t id) const { return recording->maker(id); }
    OptionalIndex made_at(std::size_t id) const { return recording->makers[id]; }
    // The walk of the first sequence.
    const StageTrace& trace() const { return walks->traces[0]; }
    const ValueMatch* match_of(std::size_t id) const {  // null if there is none
        const auto match = matches.find(id);
        return match == matches.end() ? nullptr : &match->second;
    }
    OptionalIndex node_of(std::size_t id) const {
        const auto* const match = match_of(id);
        return match == nullptr ? std::nullopt : std::optional(match->node);
    }
    bool is_moving(std::size_t id) const { return flow[id].is_moving(); }
    // Returns true for a tensor that is a walked one, a part of one, or the reader's own.
    bool is_right(std::size_t id) const;
    // Returns true for products of all pairs of numbers, which code sums afterwards.
    bool is_outer(const RecordedCall& call) const;
    // Returns true if the first result of a call comes from a projection.
    bool is_own(const RecordedCall& call) const;
    bool is_on_way(const RecordedCall& call) const {
        return way.has[static_cast<std::size_t>(&call - calls.data())];
    }
    bool has_other_role(std::size_t id) const;  // the name of one role, and the numbers of another
    std::size_t right_calls() const;
    // The rows of a fused projection may have an order that no walk has; then no part is right.
    bool has_unknown_order() const { return is_fused() && !heads && right_calls() == 0; }
    // Returns true if some result is the walk's step of this name.
    bool reaches(std::string_view step) const;
    // Returns the walk's name of a node; empty for numbers of the reader's own.
    std::string name_of_node(std::size_t node) const;
    // The recorded weights after dropout, if they are right; in the order of the walked ones.
    std::optional<std::vector<float>> dropped_weights() const;

    const Recording* recording;
    std::span<const RecordedCall> calls;
    const LayerWalks* walks;
    LayerFlow flow;
    std::map<std::size_t, ValueMatch> matches{};  // by tensor
    std::vector<std::size_t> outputs{};           // tensors that are the stage's output
    OptionalIndex last{};                         // the call of the output, also of a wrong one
    Branch way{};                                 // the calls that lead to the output
    Branch own{};                                 // all calls that the layer consists of

private:
    std::optional<ValueMatch> match_before_dropout(std::size_t result) const;
    bool is_part(std::size_t id, const RecordedCall& maker);
    void match_result(const RecordedCall& call, std::size_t id,
                      const std::vector<WalkedTensor>& walked_outputs);
    void forget_chance_rows();
    OptionalIndex call_of_output() const;
    std::vector<bool> calls_to(std::size_t last) const;
    std::vector<bool> own_calls() const;
    Branch branch(std::vector<bool> has, std::size_t to) const;

    std::set<std::size_t> parts_{};  // tensors all of whose numbers are in one walked tensor
    std::map<std::size_t, std::vector<float>> sorted_{};  // the numbers of walked tensors, by node
    OptionalIndex drop_{};                                // the weights after dropout
};

}  // namespace attn
