// Decides how an attention layer may be walked: its heads, its mask, its positions.
#pragma once

#include <optional>
#include <vector>

#include "stages/stage.hpp"
#include "watch/attention_layer.hpp"
#include "watch/own_scores.hpp"
#include "watch/recording.hpp"

namespace attn {

// A way to walk the layer.
struct Form {
    std::size_t heads = 1, kv_heads = 1;
    // (n, n): 1 where the reader's mask hides a token, if it hides earlier ones, too.
    std::vector<float> hidden{};
    std::optional<OwnScores> own{};  // padding or a bias of positions
    bool is_masked = true;
    bool is_by_head = false;         // a fused weight has the queries, keys and values of one head together
    bool is_sequence_first = false;  // the axes of the inputs are tokens, batch, features
    Pairing rotary = Pairing::none;
    double base = 0.0;

    bool has_bias() const { return own && !own->bias.empty(); }
    // Returns a mask that does not hide exactly the later ones of n tokens, as rows of 0 and 1. The sequences
    // follow each other, or one stands for all. Empty for other masks.
    std::vector<std::vector<int>> own_mask(std::size_t n) const;
};

// Returns the ways in which the layer may be walked, the likeliest first.
std::vector<Form> forms(const Recording& recording, const AttentionLayer& layer);

}  // namespace attn
