// Comparisons, which give 1 for true and 0 for false, and operations that create masks or apply them.
#pragma once

#include "notebook/notebook.hpp"

namespace attn {

Var eq(Var x, const Number& value);  // (…) → (…). x == value
Var le(Var a, Var b);                // (…), (…) → the broadcast shape; 0 for NaN. a <= b
Var as_bool(Var x);                  // (…) → (…). x.bool()
Var logical_not(Var x);              // (…) → (…), of a boolean tensor. ~x
Var as_float(Var x);                 // (…) → (…). x.float()

// (…), (…) → (): 1 when a and b agree except for rounding: the largest difference is at most a
// hundred-thousandth of b's largest number. Otherwise 0. The difference is not shown, because it varies
// between machines.
Var agree(Var a, Var b);
Var agree(Var a, Var b, Var scale);  // the same, relative to the largest number of `scale`

// (…), (…) → (): 1 when all numbers are equal, otherwise 0.
Var identical(Var a, Var b);

// (…, n, m) → (…, n, m): 0 where column > row + diagonal. torch.tril(x, diagonal=diagonal)
Var tril(Var x);
Var tril(Var x, const Number& diagonal);
// (…, n, m) → (…, n, m): 0 where column < row + diagonal. torch.triu(x, diagonal=diagonal)
Var triu(Var x, int diagonal);

// (…, n, m), (n, m) → (…, n, m): replaces numbers by `value` where the mask is not 0. x.masked_fill(mask,
// value)
Var masked_fill(Var x, Var mask, const Number& value);

// The mistakes refer to these operations:
extern const Operation tril_op, triu_op, masked_fill_op;

}  // namespace attn
