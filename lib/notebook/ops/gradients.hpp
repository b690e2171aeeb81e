// Operations that only the way back needs.
#pragma once

#include <cstddef>
#include <vector>

#include "notebook/notebook.hpp"

namespace attn {

Var ones_like(Var x);  // (…) → (…). torch.ones_like(x)

// () or an axis of 1 where `like` has more → the shape of `like`. x.expand_as(like)
Var expand_as(Var x, Var like);

// (…, m) → (m,): over all axes but the last. x.sum(dim=(0, 1))
Var sum_rows(Var x);

// Sums over broadcast axes: (…) → the shape of `like`.
Var sum_to(Var x, Var like);

// The gradient of softmax's operand along the last axis. torch._softmax_backward_data(grad, output, -1,
// torch.float32)
Var softmax_backward(Var grad, Var output);

// Zeros in the shape of `like`, but for `grad` at one index of the first axis, or from an index of it on.
Var select_backward(Var grad, Var like, const Number& index);
Var slice_backward(Var grad, Var like, std::size_t dim, const Number& from, const Number& to);

// Zeros in the shape of `like`, and each part of `grad` added where repeat_interleave took it from.
// torch.zeros_like(like).index_add(dim, torch.arange(like.shape[dim]).repeat_interleave(repeats), grad)
Var repeat_interleave_backward(Var grad, Var like, const Number& repeats, std::size_t dim);

Var diag(Var x);  // (n,) → (n, n), 0 beside the diagonal. torch.diag(x)

// x − lr · grad in one rounding, a step of training. torch.sub(x, grad, alpha=lr)
Var descend(Var x, Var grad, const Number& lr);

// Has autograd record again what a backward pass had it stop. torch.set_grad_enabled(True)
void record_again(Notebook& notebook);

// Has PyTorch compute all gradients of the first number, keep those of these tensors, and record no more.
Var run_backward(const std::vector<Var>& retained);

extern const Operation ones_like_op, softmax_backward_op;

}  // namespace attn
