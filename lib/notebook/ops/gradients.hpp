// Operations that only the backward pass needs.
#pragma once

#include <cstddef>
#include <vector>

#include "notebook/notebook.hpp"

namespace attn {

extern const Operation ones_like;  // (…) → (…). torch.ones_like(x)

// x, like: () or a shape with axes of size 1 → the shape of `like`. x.expand_as(like)
extern const Operation expand_as;

// (…) → the shape of `like`: sums over the axes that were broadcast.
Var sum_to(Var x, Var like);

// The gradient of softmax's input along the last axis. torch._softmax_backward_data(grad, output, -1,
// torch.float32)
Var softmax_backward(Var grad, Var output);

// Inserts `grad` into zeros of the shape of `like`: at one index of the first axis, or along an axis from
// `from` up to but not including `to`.
Var select_backward(Var grad, Var like, const Number& index);
Var slice_backward(Var grad, Var like, std::size_t dim, const Number& from, const Number& to);

// The gradient of repeat_interleave: adds up every `count` neighbours along an axis.
// x.unflatten(dim, (-1, count)).sum(dim + 1)
Var sum_groups(Var x, const Number& count, std::size_t dim);

Var diag(Var x);  // (n,) → (n, n), 0 beside the diagonal. torch.diag(x)

// A training step with one rounding: x − lr · grad. torch.sub(x, grad, alpha=lr)
Var descend(Var x, Var grad, const Number& lr);

// Turns autograd on again after a backward pass turned it off. torch.set_grad_enabled(True)
void record_again(Notebook& notebook);

// Makes PyTorch compute all gradients of the first tensor, keep the gradients of the other tensors, and turn
// autograd off.
Var run_backward(const std::vector<Var>& retained);

extern const Operation softmax_backward_op;

}  // namespace attn
