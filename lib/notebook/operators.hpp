// The operators of expressions, in one table: how tightly each binds, how it is written in each notation, and
// its value.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace attn {

// The languages a call can be rendered in. Each is one column of an operation's row.
enum class Language { torch, numpy, cpp };
inline constexpr std::size_t language_count = 3;
inline constexpr std::array<std::string_view, language_count> language_names{"torch", "numpy", "cpp"};

constexpr std::string_view name_of(Language language) {
    return language_names[static_cast<std::size_t>(language)];
}

// The languages, in the same order, and the three ways to write a formula.
enum class Script { torch, numpy, cpp, text, latex, mathml };

constexpr bool is_formula(Script notation) {
    return notation >= Script::text;
}

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
    leaf,  // none
    sum,
    difference,
    product,
    tight_product,  // without spaces, as a term of a dot product: 0.55*0.43
    matrix_product,
    quotient,
    floor_quotient,  // how often the second fits into the first
    negative,
    at_most,  // a comparison is 1 when it is true and otherwise 0
    at_least,
    equal,
    not_equal,
    equation,  // two sides, neither of which needs brackets
    range,     // from:to
    maximum,
    exp,
    ln,
    sin,
    cos,
    sqrt,
    root,        // of a number of the program: d_k**0.5
    float_root,  // which NumPy is told to keep to float32
    abs,
    subscript,  // base and index
    transposed,
    tuple,           // (a, b)
    list,            // [a, b]
    applied,         // a function and its arguments
    item,            // x[1, 0]
    total,           // ∑x
    sum_over,        // ∑_j x: x and the index
    max_over,        // max_j x
    cases,           // a value, its condition, the value otherwise, and the words "if" and "else"
    cases_in_words,  // the same of a condition in words
};

// How an operator is written. A text with places `$0`, `$1` is a pattern; any other stands between the
// operands, of which there may be more than two. `$*` are all operands, `$+` all but the first, with commas.
// A place has brackets where the operator's binding needs them. A letter after the `$` asks for something
// else. i: no brackets, because the place is inside brackets. a, p, t, c, s: brackets as an operator of that
// binding needs them. u: brackets as the operator needs them, and around a fraction. w: brackets unless the
// text is one word. b: the base of an index or an exponent. n: an index. e: one element of MathML. f: the
// name of a function. r: words without a tag.
struct OperatorRow {
    Operator op;
    Binding in_code, in_formulas;
    std::string_view python, numpy, cpp, text, latex, mathml;
    double (*of_one)(double) = nullptr;
    double (*of_two)(double, double) = nullptr;  // from left to right where there are more

    Binding binding(Script notation) const { return is_formula(notation) ? in_formulas : in_code; }
    std::string_view in(Script notation) const;
};

const OperatorRow& row_of(Operator op);

}  // namespace attn
