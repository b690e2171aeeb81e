// Sines, cosines, and the rotation of pairs of numbers by an angle. The angle encodes a row's position.
#pragma once

#include "notebook/notebook.hpp"

namespace attn {

Var sin(Var x);  // (…) → (…). torch.sin(x)
Var cos(Var x);  // (…) → (…). torch.cos(x)

// (…, n, d), (n, d/2), (n, d/2) → (…, n, d): rotates each pair of a row by its angle. rotate_halves pairs a
// number of the first half with its counterpart in the second, rotate_neighbours two neighbours.
Var rotate_halves(Var x, Var cos, Var sin);
Var rotate_neighbours(Var x, Var cos, Var sin);

// lib/mistakes uses these operations:
extern const Operation sin_op, cos_op, rotate_halves_op, rotate_neighbours_op;

}  // namespace attn
