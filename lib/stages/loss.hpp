// The backward pass of a stage: its loss, and the gradients of all steps that it depends on.
#pragma once

#include <string>

#include "stages/stage.hpp"

namespace attn {

// Reduces a tensor to one number: x.sum(), x.mean() or x.square().mean(). The squares become a line of code;
// `suffix` ends its name.
Var loss_of(Var x, Loss loss, const std::string& suffix = "");

// Returns x; in a backward pass, it requires a gradient, as embeddings do in a model.
Var leaf(Var x, const Run& run);

// Records the loss and the gradients after the forward pass.
void record_backward(Notebook& notebook, const Stage& stage, const Run& run);

}  // namespace attn
