// Operations that compare numbers, giving 1 for true and 0 for false, and that create or apply masks.
#pragma once

#include "notebook/notebook.hpp"

namespace attn {

Var eq(Var x, const Number& value);  // (…) → (…). x == value
Var le(Var a, Var b);                // (…), (…) → the broadcast shape; 0 for NaN. a <= b
extern const Operation as_bool;      // (…) → (…). x.bool()
extern const Operation logical_not;  // (…) → (…), of a boolean tensor. ~x
extern const Operation as_float;     // (…) → (…). x.float()

// (…), (…) → (): 1 when a and b agree except for rounding: the largest difference is at most a
// hundred-thousandth of b's largest number. Otherwise 0. The difference itself varies between machines, so it
// is not shown.
Var agree(Var a, Var b);
Var agree(Var a, Var b, Var scale);  // as above, but relative to the largest number of `scale`

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

// lib/mistakes uses these operations:
extern const Operation tril_op, triu_op, masked_fill_op;

}  // namespace attn
