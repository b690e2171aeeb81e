// Describes the judgement of a layer: each call, and how the departing one differs from the stage's.
#pragma once

#include "watch/alignment.hpp"
#include "watch/layer_judgement.hpp"

namespace attn {

void report(const LayerMatch& match, const LayerJudgement& judged, AlignedLayer& layer);

}  // namespace attn
