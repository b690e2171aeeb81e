// Shows an alignment: one line for each layer, its calls, and the call that departs beside the stage's.
#pragma once

#include <string>
#include <vector>

#include "watch/alignment.hpp"
#include "words/words.hpp"

namespace attn {

// The first line says whether the reader's code is right; there is none if it has no attention.
std::string alignment_text(const Recording& recording, const std::vector<AlignedLayer>& layers,
                           const Words& words);

// Returns {"layers": […]}, which the wheel reads.
std::string alignment_json(const Recording& recording, const std::vector<AlignedLayer>& layers,
                           const Words& words);

// Returns true if there is a layer, and all are right.
bool all_right(const std::vector<AlignedLayer>& layers);

}  // namespace attn
