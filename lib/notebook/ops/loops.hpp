// Operations that the documents first write as loops, then as one matrix product. Their code is one or more
// complete statements.
#pragma once

#include "notebook/notebook.hpp"

namespace attn {

extern const Operation row_dots;   // (n, d), (d,) → (n,): the torch.dot of each row.
extern const Operation pair_dots;  // (n, d), (m, d) → (n, m): the torch.dot of each pair of rows.
// (d,), (d,) → (): the sum of products, rounded and added one by one, as in a Python loop.
extern const Operation summed_products;
// weights, vectors: (n,), (n, d) → (d,): Σ_i weights[i] · vectors[i], added row by row.
extern const Operation weighted_rows;
// (n, d), (m, d), (w,) → (w, n, m): the dot products of all pairs, using only their first d_k features, for
// each d_k of the last operand.
extern const Operation prefix_products;

}  // namespace attn
