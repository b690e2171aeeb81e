// The way back through a stage: its loss, and the gradient of every step that led to it.
#pragma once

#include <string>

#include "stages/stage.hpp"

namespace attn {

// One number of them all: x.sum(), x.mean(), x.square().mean(). The squares are a line, whose name ends in
// the suffix.
Var loss_of(Var x, Loss loss, const std::string& suffix = "");

// A tensor that nothing computed. With a backward pass it requires a gradient, as embeddings do in a model.
Var leaf(Var x, const Run& run);

// Records the loss and the gradients of a walk that went forward.
void walk_back(Notebook& notebook, const Stage& stage, const Run& run);

}  // namespace attn
