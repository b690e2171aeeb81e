#include "notebook/operators.hpp"

#include <algorithm>
#include <cmath>

namespace attn {

namespace {

using OfTwo = double (*)(double, double);

// A binary operator that has the same sign in all languages.
constexpr OperatorRow infix(Operator op, Binding binding, std::string_view code, std::string_view text,
                            std::string_view latex, std::string_view mathml, OfTwo of_two = nullptr) {
    return {op, binding, binding, code, code, code, text, latex, mathml, nullptr, of_two};
}

// A comparison, which gets its own brackets within arithmetic.
constexpr OperatorRow comparison(Operator op, std::string_view code, std::string_view text,
                                 std::string_view latex, std::string_view mathml, OfTwo of_two) {
    return {op, Binding::atom, Binding::comparison, code, code, code, text, latex, mathml, nullptr, of_two};
}

// A function that is written as its name and its arguments, in formulas as `applied` writes them.
constexpr OperatorRow function(Operator op, std::string_view called, double (*of_one)(double),
                               OfTwo of_two = nullptr) {
    return {op, Binding::atom, Binding::atom, called, called, called, called, "", "", of_one, of_two};
}

constexpr OperatorRow root(Operator op, Binding in_code, std::string_view python, std::string_view numpy) {
    return {op,
            in_code,
            Binding::atom,
            python,
            numpy,
            "std::sqrt($i0)",
            "√$b0",
            "\\sqrt{$i0}",
            "<msqrt>$i0</msqrt>",
            [](double x) { return std::sqrt(x); }};
}

constexpr OperatorRow formula(Operator op, Binding binding, std::string_view text, std::string_view latex,
                              std::string_view mathml) {
    return {op, binding, binding, "", "", "", text, latex, mathml};
}

constexpr OfTwo times = [](double a, double b) { return a * b; };
constexpr OfTwo larger = [](double a, double b) {
    return std::isnan(b) ? b : std::max(a, b);  // if one is NaN, std::max(a, b) returns a
};

constexpr std::string_view fraction_text = "$w0 / $w1";
constexpr std::string_view fraction_latex = "\\frac{$i0}{$i1}";
constexpr std::string_view fraction_mathml = "<mfrac>$e0$e1</mfrac>";

constexpr std::array operator_rows{
    OperatorRow{Operator::leaf, Binding::atom, Binding::atom, "", "", "", "", "", ""},
    infix(Operator::sum, Binding::sum, " + ", " + ", " + ", "<mo>+</mo>",
          [](double a, double b) { return a + b; }),
    infix(Operator::difference, Binding::sum, " - ", " − ", " - ", "<mo>−</mo>",
          [](double a, double b) { return a - b; }),
    infix(Operator::product, Binding::product, " * ", " · ", " \\cdot ", "<mo>·</mo>", times),
    infix(Operator::tight_product, Binding::tight, "*", "·", " \\cdot ", "<mo>·</mo>", times),
    infix(Operator::matrix_product, Binding::product, " @ ", "$u0 $u1", " ", "<mo>&#x2062;</mo>"),
    OperatorRow{Operator::quotient, Binding::product, Binding::tight, "$0 / $t1", "$0 / $t1", "$0 / $t1",
                fraction_text, fraction_latex, fraction_mathml, nullptr,
                [](double a, double b) { return a / b; }},
    OperatorRow{Operator::floor_quotient, Binding::product, Binding::tight, " // ", " // ", " / ",
                fraction_text, fraction_latex, fraction_mathml, nullptr,
                [](double a, double b) { return std::floor(a / b); }},
    OperatorRow{Operator::negative, Binding::tight, Binding::sum, "-$p0", "-$p0", "-$p0", "−$p0", "-$p0",
                "<mrow><mo>−</mo>$p0</mrow>", [](double x) { return -x; }},
    comparison(Operator::at_most, "($i0 <= $i1)", " ≤ ", " \\le ", "<mo>≤</mo>",
               [](double a, double b) { return a <= b ? 1.0 : 0.0; }),
    comparison(Operator::at_least, "($i0 >= $i1)", " ≥ ", " \\ge ", "<mo>≥</mo>",
               [](double a, double b) { return a >= b ? 1.0 : 0.0; }),
    comparison(Operator::equal, "($i0 == $i1)", " = ", " = ", "<mo>=</mo>",
               [](double a, double b) { return a == b ? 1.0 : 0.0; }),
    comparison(Operator::not_equal, "($i0 != $i1)", " ≠ ", " \\ne ", "<mo>≠</mo>",
               [](double a, double b) { return a != b ? 1.0 : 0.0; }),
    formula(Operator::equation, Binding::comparison, "$i0 = $i1", "$i0 = $i1", "$i0<mo>=</mo>$i1"),
    infix(Operator::range, Binding::atom, ":", ":", ":", "<mo>:</mo>"),
    function(Operator::maximum, "max($*)", nullptr, larger),
    function(Operator::exp, "exp($*)", [](double x) { return std::exp(x); }),
    function(Operator::ln, "log($*)", [](double x) { return std::log(x); }),
    function(Operator::sin, "sin($*)", [](double x) { return std::sin(x); }),
    function(Operator::cos, "cos($*)", [](double x) { return std::cos(x); }),
    root(Operator::sqrt, Binding::atom, "sqrt($*)", "sqrt($*)"),
    root(Operator::root, Binding::tight, "$b0**0.5", "$b0**0.5"),
    root(Operator::float_root, Binding::tight, "$b0**0.5", "np.sqrt($i0, dtype=np.float32)"),
    OperatorRow{Operator::abs, Binding::atom, Binding::atom, "abs($*)", "abs($*)", "abs($*)", "|$*|",
                "\\left|$*\\right|", "<mrow><mo>|</mo>$*<mo>|</mo></mrow>",
                [](double x) { return std::abs(x); }},
    formula(Operator::subscript, Binding::atom, "$b0_$n1", "$b0_{$n1}", "<msub>$b0$n1</msub>"),
    formula(Operator::transposed, Binding::atom, "$b0ᵀ", "$b0^{\\top}", "<msup>$b0<mi>T</mi></msup>"),
    OperatorRow{Operator::tuple, Binding::atom, Binding::atom, "($*)", "($*)", "($*)", "($*)",
                "\\left($*\\right)", "<mrow><mo>(</mo>$*<mo>)</mo></mrow>"},
    formula(Operator::list, Binding::atom, "[$*]", "\\left[$*\\right]",
            "<mrow><mo>[</mo>$*<mo>]</mo></mrow>"),
    formula(Operator::applied, Binding::atom, "$a0($+)", "$f0\\left($+\\right)",
            "<mrow>$a0<mo>(</mo>$+<mo>)</mo></mrow>"),
    formula(Operator::item, Binding::atom, "$a0[$+]", "$a0\\left[$+\\right]",
            "<mrow>$a0<mo>[</mo>$+<mo>]</mo></mrow>"),
    formula(Operator::total, Binding::sum, "∑$p0", "\\sum $p0", "<mo>∑</mo>$p0"),
    formula(Operator::sum_over, Binding::sum, "∑_$i1 $p0", "\\sum_{$i1} $p0",
            "<munder><mo>∑</mo>$i1</munder>$p0"),
    formula(Operator::max_over, Binding::sum, "max_$i1 $p0", "\\max_{$i1} $p0",
            "<munder><mi>max</mi>$i1</munder>$p0"),
    formula(Operator::cases, Binding::cases, "$s0 $r3 $c1 $r4 $s2",
            "\\begin{cases} $s0 & \\text{$r3 } $c1 \\\\ $s2 & \\text{$r4} \\end{cases}",
            "$s0<mtext>\u00a0$r3\u00a0</mtext>$c1<mtext>\u00a0$r4\u00a0</mtext>$s2"),
    formula(Operator::cases_in_words, Binding::cases, "$s0 $r3 $r1, $r4 $s2",
            "\\begin{cases} $s0 & \\text{$r3 } $c1 \\\\ $s2 & \\text{$r4} \\end{cases}",
            "$s0<mtext>\u00a0$r3 $r1, $r4\u00a0</mtext>$s2"),
};

}  // namespace

std::string_view OperatorRow::in(Script notation) const {
    return std::array{python, numpy, cpp, text, latex, mathml}[static_cast<std::size_t>(notation)];
}

const OperatorRow& row_of(Operator op) {
    return *std::ranges::find(operator_rows, op, &OperatorRow::op);
}

}  // namespace attn
