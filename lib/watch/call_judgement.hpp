// Judges a single call: right operands must give a right result.
#pragma once

#include "watch/layer_match.hpp"

namespace attn {

// Returns true if PyTorch's module is given padding of keys, which is the reader's own.
bool pads_keys(const RecordedCall& call);

// Returns true if the operands are right, and the result is not.
bool departs(const LayerMatch& layer, const RecordedCall& call);

}  // namespace attn
