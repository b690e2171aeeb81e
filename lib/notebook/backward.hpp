// Backpropagation: the recorded calls from the last to the first, each of which hands the gradient of its
// result on to its operands. How an operation does that is in its row.
#pragma once

#include <cstddef>
#include <optional>

#include "notebook/notebook.hpp"

namespace attn {

// A call and the gradient of its result, as a row is told of them.
struct Backward {
    Call call;  // a copy, since recording moves the notebook's
    Var result, grad;

    Var operand(std::size_t i) const { return {grad.notebook, call.inputs[i]}; }
};

// Records the gradients of a single number with respect to all tensors that led to it and require one, in
// autograd's order: the last recorded call comes first. The gradients of a tensor that was used several times
// are added in that order. The gradient of X is called X_grad, a step for a step or a leaf, a line for a
// line. From then on nothing requires a gradient. loss.backward()
void backward(Var loss);

// The gradient of a tensor that a backward pass came by; nothing where none did.
std::optional<Var> gradient_of(Var x);

}  // namespace attn
