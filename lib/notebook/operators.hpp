// The operators of formulas, of the arithmetic of cells and of numbers in lines of code. A row each gives its
// signs, how tightly it holds together, and its value. Brackets are decided here, for lines of code as well.
#pragma once

#include <string_view>

namespace attn {

// How tightly an expression holds together, the loosest first.
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

enum class Operator {
    leaf,  // none: a number
    sum,
    difference,
    product,
    tight_product,  // without spaces, as a term of a dot product: 0.55*0.43
    matrix_product,
    quotient,
    at_most,  // a comparison is 1 when it is true and otherwise 0
    at_least,
    equal,
    not_equal,
    range,  // from:to
    maximum,
    exp,
    ln,
    sin,
    cos,
    sqrt,
    abs,
};

struct OperatorRow {
    Operator op;
    Binding binding;
    std::string_view code;       // between its operands, in Python and C++; of a function, its name
    std::string_view text = {};  // in a formula
    std::string_view latex = {};
    double (*of_one)(double) = nullptr;
    double (*of_two)(double, double) = nullptr;  // from left to right where there are more
};

const OperatorRow& row_of(Operator op);
bool is_comparison(Operator op);

}  // namespace attn
