// Operations that the documents first write as loops, and then as one matrix product. Each is a whole
// statement, or several.
#pragma once

#include "notebook/notebook.hpp"

namespace attn {

Var row_dots(Var vectors, Var x);        // (n, d), (d,) → (n,): torch.dot of each row
Var pair_dots(Var vectors, Var others);  // (n, d), (m, d) → (n, m): torch.dot of each pair of rows
// (d,), (d,) → (): one product after the other, each rounded, as Python adds them.
Var summed_products(Var a, Var b);
// (n,), (n, d) → (d,): Σ_i weights[i] · vectors[i], one row added after the other.
Var weighted_rows(Var weights, Var vectors);
// (n, d), (m, d), (w,) → (w, n, m): all pairs by their first d_k features only, for each d_k of `widths`.
Var prefix_products(Var vectors, Var others, Var widths);

}  // namespace attn
