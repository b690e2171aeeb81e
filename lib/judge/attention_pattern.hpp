// Recognises attention in a document's code by its structure: the scores, the projections in them, their
// scale, the hidden numbers and the values. It needs neither the usual names nor a stage with the same sizes.
#pragma once

#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

#include "judge/code_graph.hpp"

namespace attn {

// The place of a tensor in softmax(Q @ Kᵀ · factor) @ V.
struct AttentionPart {
    enum class Kind { other, leaf, projection, products, scores, exponentials, weights, context };
    using Source = Ids;  // of a projection: its product, and the parts taken from it

    Kind kind = Kind::other;
    Source source{};                  // of a leaf: the first one it is computed from
    Source query{}, key{};            // of all from `products` to `weights`
    double factor = 1.0;              // of projections and scores: what they were multiplied with
    std::size_t width = 0;            // d_k; of projections: the width of their inputs
    std::size_t product = 0;          // the unscaled scores
    bool is_changed = false;          // weights that were masked or scaled
    bool is_turned = false;           // weights whose rows and columns are exchanged
    bool has_gaps = false;            // a loop has not set all numbers yet
    bool is_named_backwards = false;  // the names say Kᵀ and Q
};

class AttentionPattern {
public:
    // The graph must outlive the pattern.
    explicit AttentionPattern(const CodeGraph& graph);

    const AttentionPart& part(std::size_t id) const { return parts_[id]; }
    // True for projections, scores, weights and contexts that are computed as they should be.
    bool is_right(std::size_t id) const;
    // True for a node that scales scores by neither 1 nor 1/√d_k.
    bool is_scaled_otherwise(std::size_t id) const;
    // True for the tensors of a calculation that reaches weights.
    bool belongs(std::size_t id) const { return belongs_[id]; }
    // The mistake in the projections, the scale of the scores or the axis of softmax, at the node that
    // departs; else empty.
    std::string_view mistake(std::size_t id) const;

private:
    AttentionPart part_of(std::size_t id);
    AttentionPart product_of(std::size_t id);
    AttentionPart moved(std::size_t id) const;
    // The inputs of a projection.
    const AttentionPart::Source& input_of(const AttentionPart::Source& projection) const;
    AttentionPart weights_of(std::size_t id, AttentionPart scores);
    void find_members();
    bool has_usual_factor(std::size_t id) const;

    const CodeGraph& graph_;
    const std::vector<Computed>& nodes_;
    std::vector<AttentionPart> parts_{};
    std::vector<bool> belongs_{};
    // The products of inputs and weights by these. A second variable with the same product is a node of its
    // own.
    std::map<Ids, std::size_t> projections_{};
    std::map<std::size_t, std::string_view> mistakes_{};
};

}  // namespace attn
