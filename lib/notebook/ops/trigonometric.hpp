// Sines and cosines, and turning pairs of numbers by an angle, which is how a row is told its position.
#pragma once

#include "notebook/notebook.hpp"

namespace attn {

Var sin(Var x);  // (…) → (…). torch.sin(x)
Var cos(Var x);  // (…) → (…). torch.cos(x)

// (…, n, d), (n, d/2), (n, d/2) → (…, n, d): each pair of a row by its angle. A pair is a number of the first
// half of a row and its counterpart in the second, or else two neighbours.
Var rotate_halves(Var x, Var cos, Var sin);
Var rotate_neighbours(Var x, Var cos, Var sin);

// Operations that mistakes look for.
extern const Operation sin_op, cos_op, rotate_halves_op, rotate_neighbours_op;

}  // namespace attn
