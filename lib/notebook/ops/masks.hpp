// Comparisons, which are 1 where they hold and 0 elsewhere, and what masks are made of and do.
#pragma once

#include "notebook/notebook.hpp"

namespace attn {

Var eq(Var x, const Number& value);  // (…) → (…). x == value
Var le(Var a, Var b);                // (…), (…) → the broadcast shape; NaN is at most nothing. a <= b
Var as_bool(Var x);                  // (…) → (…). x.bool()
Var logical_not(Var x);              // (…) → (…), of truths. ~x
Var as_float(Var x);                 // (…) → (…). x.float()

// (…), (…) → (): 1 when no number of `a` is further from its counterpart in `b` than a hundred-thousandth of
// b's largest, which is rounding noise; otherwise 0. The difference itself, which ought to be 0, is another
// on every machine.
Var agree(Var a, Var b);
Var agree(Var a, Var b, Var scale);  // the same, up to rounding of what `scale` holds

// (…), (…) → (): 1 when the two are the same numbers, otherwise 0.
Var identical(Var a, Var b);

// (…, n, m) → (…, n, m): 0 where column > row + diagonal. torch.tril(x, diagonal=diagonal)
Var tril(Var x);
Var tril(Var x, const Number& diagonal);
// (…, n, m) → (…, n, m): 0 where column < row + diagonal. torch.triu(x, diagonal=diagonal)
Var triu(Var x, int diagonal);

// (…, n, m), (n, m) → (…, n, m): the value where the mask is not 0. x.masked_fill(mask, value)
Var masked_fill(Var x, Var mask, const Number& value);

// Operations that mistakes look for.
extern const Operation tril_op, triu_op, masked_fill_op;

}  // namespace attn
