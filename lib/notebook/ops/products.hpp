// Products of rows with columns.
#pragma once

#include "notebook/notebook.hpp"

namespace attn {

// (…, n, k), (…, k, m) → (…, n, m); a vector on the left is a row, on the right a column. a @ b
Var matmul(Var a, Var b);

Var outer(Var a, Var b);  // (n,), (m,) → (n, m). torch.outer(a, b)
Var dot(Var a, Var b);    // (k,), (k,) → (). torch.dot(a, b)

// lib/mistakes uses this operation:
extern const Operation matmul_op;

// Returns the two cells that are multiplied in the k-th term of a cell of a @ b: one from a row of a, one
// from a column of b.
std::pair<Index, Index> factors_of_product(const CellOf& x, std::size_t k);

// A B, and A Bᵀ
Expr product_formula(const FormulaOf& x);
Expr product_of_rows(const FormulaOf& x);

}  // namespace attn
