// Operations that the documents first write as loops, then as one matrix product. Their code is one or more
// complete statements.
#pragma once

#include "notebook/notebook.hpp"

namespace attn {

Var row_dots(Var vectors, Var x);        // (n, d), (d,) → (n,): the torch.dot of each row.
Var pair_dots(Var vectors, Var others);  // (n, d), (m, d) → (n, m): the torch.dot of each pair of rows.
// (d,), (d,) → (): the sum of products, rounded and added one by one, as in a Python loop.
Var summed_products(Var a, Var b);
// (n,), (n, d) → (d,): Σ_i weights[i] · vectors[i], added row by row.
Var weighted_rows(Var weights, Var vectors);
// (n, d), (m, d), (w,) → (w, n, m): the dot products of all pairs, using only their first d_k features, for
// each d_k of `widths`.
Var prefix_products(Var vectors, Var others, Var widths);

// Mistakes of lib/diagnosis use these operations:
extern const Operation row_dots_op, weighted_rows_op;

}  // namespace attn
