// Recognises the layers whose queries, keys and values no recorded call projects. nn.MultiheadAttention
// projects them itself, attention without weights has none, and other code begins with queries, keys and
// values.
#pragma once

#include <optional>
#include <vector>

#include "watch/attention_layer.hpp"

namespace attn {

// Returns the layer if the call is nn.MultiheadAttention's.
std::optional<AttentionLayer> layer_of_module(const Recording& recording, std::size_t at);

// Adds attention without weights: inputs, or rows of them, that are multiplied by themselves, and are not
// weights of the layers that are found already.
void add_simplified(const Recording& recording, std::vector<AttentionLayer>& found);

// Returns the first layer of which the code is given queries, keys and values.
std::optional<AttentionLayer> layer_of_given(const Recording& recording);

}  // namespace attn
