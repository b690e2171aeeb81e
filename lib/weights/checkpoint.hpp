// One attention module out of a whole model's checkpoint, in the form a stage takes: one head or all, a fused
// c_attn split into queries, keys and values. Of the file only that module is read.
#pragma once

#include <memory>

#include "files/tensor_file.hpp"
#include "stages/stage.hpp"
#include "weights/attention_modules.hpp"
#include "weights/state_dict.hpp"
#include "weights/weights.hpp"

namespace attn {

// The module as the state_dict of the stage's own modules. Conv1D and Linear are told apart by their shapes.
// Throws Error when a tensor of the module is missing or of another shape, when its heads are not known, and
// when the stage takes another number of them than is selected.
std::unique_ptr<StateDict> cut_out(const TensorFile& file, const Module& module, const Selection& selection,
                                   const Stage& stage);

}  // namespace attn
