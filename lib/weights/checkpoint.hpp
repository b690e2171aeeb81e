// One attention module out of a whole model's checkpoint, in the form a stage takes: one layer, one head or
// all, a fused c_attn split into queries, keys and values. Of the file only that layer is read.
#pragma once

#include "stages/stage.hpp"
#include "weights/weights.hpp"

namespace attn {

// The weights as the stage takes them, what their pick() says chosen. Attention modules are known by the
// names of their projections: c_attn and c_proj (GPT-2; Conv1D or Linear, told by shape), q_proj to o_proj,
// and W_query to out_proj behind the name of a block. Weights without any are the stage's state_dict as it
// is. Throws Error, listing what there is, when the layer or the head is not there, or is not chosen where it
// has to be.
Weights for_stage(const Weights& weights, const Stage& stage);

}  // namespace attn
