// Trained parameters, and the layers that contain them.
#pragma once

#include "notebook/notebook.hpp"

namespace attn {

// (…) → (…). torch.nn.Parameter(x), torch.nn.Parameter(x, requires_grad=False)
Var parameter(Var x);
Var frozen_parameter(Var x);

// Makes a tensor require a gradient: x.requires_grad_()
extern const Operation requires_grad;

// Draws a layer's parameters: the weight, then the bias. torch.nn.Linear(in, out, bias=bias)
Var linear(Var generator, const Number& in, const Number& out, bool bias);
Var weight(Var layer);  // → (out, in). layer.weight
Var bias(Var layer);    // → (out,). layer.bias

// lib/mistakes uses these operations:
extern const Operation parameter_op, linear_op, weight_op;

}  // namespace attn
