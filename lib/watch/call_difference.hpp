// Finds the call of the stage that should stand in the place of a departing one, and says how they differ.
#pragma once

#include <cstddef>
#include <vector>

#include "watch/layer_walks.hpp"
#include "watch/recording.hpp"

namespace attn {

// `operands` are the nodes of the stage with the numbers of the call's operands, and `rank` counts the axes
// of the first operand.
CallDifference difference_of(const RecordedCall& call, std::size_t rank,
                             const std::vector<std::size_t>& operands, const LayerWalks& walks);

}  // namespace attn
