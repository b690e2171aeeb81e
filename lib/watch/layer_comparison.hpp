// Compares the calls of a recorded layer with its walks, and finds the call that departs
// (layer_departure.cpp) and its cause (layer_cause.cpp).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "watch/alignment.hpp"
#include "watch/layer_walks.hpp"
#include "watch/tensor_flow.hpp"

namespace attn {

constexpr std::size_t least_part = 4;  // fewer numbers are too few to be recognised

// Compares the calls of one layer with its walks.
class LayerComparison {
public:
    LayerComparison(const Recording& recording, const AttentionLayer& found, const LayerWalks& walks);

    // The recorded weights after dropout, if they are right; in the order of the walked ones.
    std::optional<std::vector<float>> dropped_weights() const;
    // The numbers with which code goes on after the first calls of another kind of attention, in the order of
    // the walked node that they replace. `at_softmax`: scores that are not scaled any more.
    struct Own {
        std::size_t node;
        std::vector<float> numbers;
    };
    std::optional<Own> own_numbers(bool at_softmax) const;
    bool is_right() const { return is_right_; }
    OptionalIndex departs() const { return departs_; }
    const std::vector<std::size_t>& differs() const { return differs_; }
    bool replaces_scale() const;
    std::size_t right_calls() const;
    // Returns true if some result is the walk's step of this name.
    bool reaches(std::string_view step) const;
    void fill(AlignedLayer& layer) const;

private:
    const RecordedTensor& tensor(std::size_t id) const { return recording_->tensors[id]; }
    const RecordedCall* maker(std::size_t id) const { return recording_->maker(id); }
    OptionalIndex made_at(std::size_t id) const { return recording_->makers[id]; }
    const ValueMatch* match_of(std::size_t id) const {  // null if there is none
        const auto found = matches_.find(id);
        return found == matches_.end() ? nullptr : &found->second;
    }
    OptionalIndex node_of(std::size_t id) const {
        const auto* const match = match_of(id);
        return match == nullptr ? std::nullopt : std::optional(match->node);
    }
    bool is_moving(std::size_t id) const { return flow_[id].is_moving(); }
    bool is_right_tensor(std::size_t id) const;
    bool is_outer(const RecordedCall& call) const;
    bool is_projection(std::size_t id) const;
    bool goes_on(const RecordedCall& call) const;
    bool is_part(std::size_t id, const RecordedCall& maker);
    void match_results();
    using Step = std::tuple<std::size_t, std::string, unsigned>;  // line, operation and weights
    Step step_of(const RecordedCall& call) const;
    bool is_on_way(const RecordedCall& call) const {
        return on_way_[static_cast<std::size_t>(&call - recording_->calls.data())];
    }
    bool reads_other(const RecordedCall& call) const {
        return call.reads([&](std::size_t id) { return is_other_[id]; });
    }
    void depart(std::size_t at) {
        departs_ = at;
        is_right_ = false;
    }
    bool depart_earlier(const auto& test);
    OptionalIndex call_that_mixes_tokens() const;
    OptionalIndex chooser_of_wrong_tokens() const;
    OptionalIndex call_of_output() const;
    void mark_way_to(std::size_t last);
    void find_foreign_steps(std::size_t last);
    bool is_of_other_attention(const RecordedCall& call) const;
    void judge_calls(std::size_t last);
    void find_first_difference(std::size_t last);
    void find_departure();
    bool adds_inputs(std::size_t at) const;
    OptionalIndex norm_of_residual(std::size_t at) const;
    void find_late_departure();
    void find_departures_beside();
    std::optional<ValueMatch> match_before_dropout(std::size_t result) const;
    void find_dropout_in_eval_mode();
    void find_inverted_padding();
    void find_weak_fill();
    void find_rotation_without_effect();
    OptionalIndex maker_of_wrong_row(std::size_t at) const;
    OptionalIndex maker_of_wrong_mask(std::size_t at) const;
    OptionalIndex repeat_of_masks(std::size_t at) const;
    OptionalIndex cause_in_rotations(std::size_t at) const;
    OptionalIndex maker_of_symmetry(std::size_t at) const;
    OptionalIndex mover_of_heads(std::size_t at) const;
    OptionalIndex end_of_detour(std::size_t at) const;
    OptionalIndex chooser_of_wrong_part(std::size_t departs) const;
    OptionalIndex repeated_part(std::size_t at) const;
    OptionalIndex part_named_as_other(std::size_t at) const;
    void move_to_cause();
    static bool calls_twice(const RecordedCall& call);
    bool takes_other_role(const RecordedCall& call) const;
    bool has_other_role(std::size_t id) const;
    void move_to_caller();
    void follow_right_results(const std::vector<bool>& chosen, std::size_t end);
    static bool pads_keys(const RecordedCall& call);
    bool hides_cached_keys(const RecordedCall& call) const;
    bool joins_masks(const RecordedCall& call) const;
    bool makes_whole_mask(const RecordedCall& call) const;
    bool appends_cache(const RecordedCall& call) const;
    bool has_right_operands(const RecordedCall& call) const;
    bool departs_at(std::size_t at) const;
    bool is_of_stage(const RecordedCall& call) const;
    OptionalIndex cause_in_rotation(const RecordedCall& call) const;
    OptionalIndex maker_of_wrong_positions() const;
    std::optional<double> factor_of(const RecordedCall& call, std::size_t scaled) const;
    bool has_temperature(const RecordedCall& call, std::size_t scaled) const;
    std::string name_of_node(std::size_t node) const;

    const Recording* recording_;
    const AttentionLayer* found_;
    const LayerWalks* walks_;
    LayerFlow flow_;
    std::map<std::size_t, ValueMatch> matches_;         // by tensor
    std::set<std::size_t> parts_;                       // tensors whose numbers all are in one walked tensor
    std::map<std::size_t, std::vector<float>> sorted_;  // the numbers of walked tensors, by node
    std::vector<bool> on_way_;                          // of each call: it leads to the output
    std::vector<bool> comes_right_;                     // of each call: something after it is right
    std::vector<std::size_t> outputs_;                  // tensors that are the stage's output
    OptionalIndex departs_, drop_;
    std::set<Step> foreign_;            // operations before the context vectors that no stage has
    std::vector<std::size_t> differs_;  // the calls of another kind of attention
    std::vector<bool> is_other_;        // of each tensor: it comes from such a call
    OptionalIndex caller_;              // which of the callers of that call is wrong
    bool is_right_ = false;
};

}  // namespace attn
