// How tightly an expression holds together, and when an operand therefore needs brackets: for lines of code,
// formulas and the arithmetic of explanations alike.
#pragma once

namespace attn {

// The loosest first.
enum class Binding {
    statement,  // no expression: nothing is assigned from it
    cases,
    comparison,
    sum,
    product,
    tight,  // reads as one unit: a fraction, a product without spaces
    atom,
};

// True if an operand needs brackets: one that holds less tightly than its place asks does, and operators of
// one rank group from the left.
constexpr bool needs_brackets(Binding inner, Binding place, bool is_first) {
    return inner < place || (!is_first && inner == place && inner != Binding::atom);
}

}  // namespace attn
