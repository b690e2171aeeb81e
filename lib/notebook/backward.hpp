// Backpropagation: goes through the recorded calls from the last to the first, and passes the gradient of
// each result to the operands. How an operation does that is defined in its row.
#pragma once

#include <cstddef>
#include <optional>

#include "notebook/notebook.hpp"

namespace attn {

// A call and the gradient of its result, as passed to the row's `gradient` function.
struct Backward {
    Call call;  // a copy, because recording moves the notebook's calls
    Var result, grad;

    Var operand(std::size_t i) const { return {grad.notebook, call.inputs[i]}; }
};

// Records the gradients of a single number with respect to all tensors that led to it and require one. They
// come in autograd's order, the last recorded call first; the gradients of a tensor that was used several
// times are added in that order. The gradient of X is named X_grad. It is a step if X is a step or a leaf,
// and a line if X is a line. Calls recorded afterwards require no gradient. loss.backward()
void backward(Var loss);

// Returns the gradient that the backward pass recorded for a tensor, or nothing.
std::optional<Var> gradient_of(Var x);

}  // namespace attn
