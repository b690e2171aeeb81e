// Describes the judgement of a layer.
#pragma once

#include "watch/alignment.hpp"
#include "watch/layer_judgement.hpp"

namespace attn {

// Fills in what the judgement says about the layer: its stage, the verdict of each call, and the difference.
void report(const LayerMatch& match, const LayerJudgement& judged, AlignedLayer& layer);

}  // namespace attn
