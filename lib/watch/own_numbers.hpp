// Finds the numbers with which code of another kind of attention goes on, so that a walk can continue with
// them.
#pragma once

#include <optional>
#include <vector>

#include "watch/layer_judgement.hpp"

namespace attn {

// In the order of the walked node that they replace.
struct OwnNumbers {
    std::size_t node;
    std::vector<float> numbers;
};

// Returns the numbers after the first calls of another kind of attention. `at_softmax`: the scores go to
// softmax as they are; otherwise the stage scales them.
std::optional<OwnNumbers> own_numbers(const LayerMatch& layer, const LayerJudgement& judged, bool at_softmax);

// Returns true if a call of another kind of attention is the only one that scales: its number stands in place
// of √d_k.
bool replaces_scale(const LayerMatch& layer, const LayerJudgement& judged);

}  // namespace attn
