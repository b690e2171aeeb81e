// Finds what the reader's code adds to scores or hides of them beyond a causal mask: a bias of positions,
// padding.
#pragma once

#include <optional>
#include <vector>

#include "watch/attention_layer.hpp"
#include "watch/recording.hpp"

namespace attn {

// For n tokens, in a batch of sequences.
struct OwnScores {
    std::vector<float> hidden{};  // (batch, n, n): 1 where a key is padding, or later if a mask is causal
    std::vector<float> bias{};    // (batch, heads, n, n), added to the scaled scores
    bool is_causal = false;
    OptionalIndex growing{};  // the call that made a bias with which far tokens get larger scores
};

// Returns nothing if the code has no bias or padding, or hides other keys than padding and later ones.
std::optional<OwnScores> own_scores(const Recording& recording, const AttentionLayer& found,
                                    std::size_t heads);

// Returns the padding of keys of cross-attention; `hidden` is (batch, keys). Returns nothing if the code
// hides other keys than padding, or none.
std::optional<OwnScores> own_padding(const Recording& recording, const AttentionLayer& found);

}  // namespace attn
