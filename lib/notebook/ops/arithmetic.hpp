// Elementwise arithmetic. Two operands broadcast: shapes are aligned at the last axis, and an axis of size 1
// is repeated.
#pragma once

#include "notebook/notebook.hpp"

namespace attn {

// (…) ∘ (…) → the broadcast shape. a + b, a - b, a * b, a / b
Var operator+(Var a, Var b);
Var operator-(Var a, Var b);
Var operator-(Var x);
Var operator*(Var a, Var b);
Var operator/(Var a, Var b);

// (…) → (…): arithmetic with a number of the program, which is rounded to float32 first. x * 0.5, x / 2**0.5,
// 1 - x, 1 / x
Var operator*(Var x, const Number& value);
Var operator/(Var x, const Number& value);
Var operator-(const Number& value, Var x);
Var operator/(const Number& value, Var x);

// (…) → (…): powers of a positive number of the program. base**x
Var pow(const Number& base, Var x);

// (…), (…) → the broadcast shape: the elementwise maximum; NaN if an operand is NaN. torch.maximum(a, b)
Var maximum(Var a, Var b);

Var exp(Var x);                 // (…) → (…). torch.exp(x)
Var abs(Var x);                 // (…) → (…). x.abs()
Var sqrt(Var x);                // (…) → (…). torch.sqrt(x)
extern const Operation square;  // (…) → (…). x.square()

// lib/mistakes uses these operations:
extern const Operation add_op, mul_op, div_scalar_op;

}  // namespace attn
