// Softmax, and reductions of rows or of a whole tensor. Rows are reduced along the last axis; with `keepdim`,
// it stays with size 1.
#pragma once

#include "notebook/notebook.hpp"

namespace attn {

// (…) → (…): positive numbers that sum to 1 along the axis. torch.softmax(x, dim=dim)
Var softmax(Var x, int dim);

Var sum(Var x);                         // (…) → (). x.sum()
Var sum(Var x, int dim, bool keepdim);  // (…, m) → (…, 1) or (…,). x.sum(dim=dim, keepdim=keepdim)

Var mean(Var x);           // (…) → (). x.mean()
Var mean(Var x, int dim);  // (…, m) → (…,). x.mean(dim=dim)

// The largest number, or NaN if any number is NaN.
Var amax(Var x);                                 // (…) → (). x.amax()
Var amax(Var x, int dim, bool keepdim = false);  // (…, m) → (…,) or (…, 1). x.amax(dim=dim, keepdim=keepdim)

// lib/mistakes uses this operation:
extern const Operation softmax_op;

}  // namespace attn
