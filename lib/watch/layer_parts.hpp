// Joins the parts of one attention layer that are found apart, because they multiply different inputs: single
// tokens, normalised inputs, another sequence, or the inputs of earlier calls.
#pragma once

#include <vector>

#include "watch/attention_layer.hpp"

namespace attn {

// Joins projections of one layer, and removes those that remain alone.
void join_parts(const Recording& recording, std::vector<AttentionLayer>& found);

// Finds the earlier calls of the layers whose keys are read from a cache, behind the product of queries and
// keys. Removes layers on one token without a cache. The layers must be in the order of their calls.
void find_past(const RecordedProjections& projections, std::vector<AttentionLayer>& found);

}  // namespace attn
