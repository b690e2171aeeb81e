// The operators of expressions in one table: precedence, spelling in each notation, and value.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace attn {

// The languages of code. Each operation's row has a column for each.
enum class Language { torch, numpy, cpp };
inline constexpr std::size_t language_count = 3;
inline constexpr std::array<std::string_view, language_count> language_names{"torch", "numpy", "cpp"};

constexpr std::string_view name_of(Language language) {
    return language_names[std::size_t(language)];
}

// The notations of expressions: the languages of code in the same order, then three for formulas.
enum class Script { torch, numpy, cpp, text, latex, mathml };

constexpr bool is_formula(Script notation) {
    return notation == Script::text || notation == Script::latex || notation == Script::mathml;
}

// The precedence of operators, the loosest first.
enum class Binding {
    statement,  // a statement, which has no value
    cases,
    comparison,
    sum,
    product,
    tight,  // a unit without brackets: a fraction, or a product without spaces
    atom,
};

// Returns true if an operand needs brackets, because it binds less tightly than its place requires. Operators
// of equal precedence group from the left.
constexpr bool needs_brackets(Binding inner, Binding place, bool is_first) {
    return inner < place || (!is_first && inner == place && inner != Binding::atom);
}

enum class Operator {
    leaf,  // no operator
    sum,
    difference,
    product,
    tight_product,  // a product without spaces, in a dot product: 0.55*0.43
    matrix_product,
    quotient,
    floor_quotient,  // integer division
    negative,
    at_most,  // comparisons give 1 if true, else 0
    at_least,
    equal,
    not_equal,
    equation,  // an equation, whose sides need no brackets
    range,     // a range of indices: from:to
    maximum,
    exp,
    ln,
    sin,
    cos,
    sqrt,
    root,        // the root of a number of the program: d_k**0.5
    float_root,  // a root that NumPy computes in float32
    abs,
    subscript,  // base and index
    transposed,
    tuple,     // (a, b)
    list,      // [a, b]
    applied,   // a function and its arguments
    item,      // x[1, 0]
    total,     // ∑x
    sum_over,  // ∑_j x: x and the index
    max_over,  // max_j x
    cases,     // a value, its condition, and the value otherwise
};

// How an operator is written, and its value. An operator between its operands has a sign in code and in
// formulas, a function has a name. Other operators have a pattern of formulas, or they have a layout of their
// own in expression_text.cpp. A pattern contains the operands by number, and how they are written: `√[0
// base]`.
struct OperatorRow {
    Operator op;
    Binding in_code, in_formulas;
    std::string_view name = {};              // of a function: exp
    std::string_view code = {};              // the sign in Python, with its spaces
    std::string_view text = {}, latex = {};  // the sign, or the pattern if `mathml` has one
    double (*of_one)(double) = nullptr;
    double (*of_two)(double, double) = nullptr;  // more than two operands are combined from left to right
    std::string_view mathml = {};                // the pattern

    Binding binding(Script notation) const { return is_formula(notation) ? in_formulas : in_code; }
};

const OperatorRow& row_of(Operator op);

}  // namespace attn
