// Finds the attention layers of a recording: which projections belong together, and where the next layer
// begins.
#pragma once

#include <vector>

#include "watch/attention_layer.hpp"

namespace attn {

// The most layers of a recording: each is compared with all calls, so the time grows with their product.
inline constexpr std::size_t max_layers = 256;

// Returns the layers in the order of their calls. Throws Error if there are more than max_layers.
std::vector<AttentionLayer> find_layers(const RecordedProjections& projections);

// Returns the first projection whose result has the name of a role whose own weight is not used.
OptionalIndex contradiction(const RecordedProjections& projections, const AttentionLayer& layer);

}  // namespace attn
