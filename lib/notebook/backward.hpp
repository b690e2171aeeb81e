// Backpropagation: goes through the recorded calls from the last to the first, and passes the gradient of
// each result on to the operands. The row of an operation defines its gradients.
#pragma once

#include <cstddef>
#include <optional>

#include "notebook/notebook.hpp"

namespace attn {

// The argument of a row's `gradient` function: a call, the gradient of its result, and the operand whose
// gradient is wanted.
struct Backward {
    Call call;  // a copy, because recording moves the notebook's calls
    Var result, grad;
    std::size_t to;

    Var operand(std::size_t i) const { return {grad.notebook, call.inputs[i]}; }
};

// Records the gradients of a single number with respect to all tensors that it depends on and that require a
// gradient. The order is autograd's: the last recorded call comes first. If a tensor was used several times,
// its gradients are added in this order. The gradient of X is named X_grad. It is a step if X is a step or a
// leaf, and a line if X is a line. Calls that are recorded later require no gradient. In PyTorch:
// loss.backward()
void backward(Var loss);

// Returns the gradient that the backward pass recorded for a tensor, or nothing.
std::optional<Var> gradient_of(Var x);

}  // namespace attn
