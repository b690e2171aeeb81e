#include "notebook/operators.hpp"

#include <algorithm>
#include <cmath>

namespace attn {

namespace {

using OfOne = double (*)(double);
using OfTwo = double (*)(double, double);

constexpr OperatorRow infix(Operator op, Binding in_code, Binding in_formulas, std::string_view code,
                            std::string_view text, std::string_view latex, OfTwo of_two = nullptr) {
    return {op, in_code, in_formulas, {}, code, text, latex, nullptr, of_two};
}

constexpr OperatorRow infix(Operator op, Binding binding, std::string_view code, std::string_view text,
                            std::string_view latex, OfTwo of_two = nullptr) {
    return infix(op, binding, binding, code, text, latex, of_two);
}

// A comparison gets its own brackets within arithmetic.
constexpr OperatorRow comparison(Operator op, std::string_view code, std::string_view text,
                                 std::string_view latex, OfTwo of_two) {
    return infix(op, Binding::atom, Binding::comparison, code, text, latex, of_two);
}

// A function is written as its name and its arguments.
constexpr OperatorRow function(Operator op, std::string_view name, OfOne of_one, OfTwo of_two = nullptr) {
    return {op, Binding::atom, Binding::atom, name, {}, {}, {}, of_one, of_two};
}

constexpr OperatorRow layout(Operator op, Binding in_code, Binding in_formulas, OfOne of_one = nullptr) {
    return {op, in_code, in_formulas, {}, {}, {}, {}, of_one};
}

// The pattern of an operator in text, LaTeX and MathML.
using FormulaPattern = std::array<std::string_view, 3>;

constexpr OperatorRow with_pattern(OperatorRow row, const FormulaPattern& pattern) {
    row.text = pattern[0];
    row.latex = pattern[1];
    row.mathml = pattern[2];
    return row;
}

constexpr FormulaPattern fraction{"[0 word] / [1 word]", "\\frac{[0 element]}{[1 element]}",
                                  "<mfrac>[0 element][1 element]</mfrac>"};
constexpr FormulaPattern radical{"√[0 base]", "\\sqrt{[0]}", "<msqrt>[0]</msqrt>"};

constexpr OfOne square_root = [](double x) { return std::sqrt(x); };
constexpr OfTwo times = [](double a, double b) { return a * b; };
constexpr OfTwo larger = [](double a, double b) {
    return std::isnan(b) ? b : std::max(a, b);  // if one is NaN, std::max(a, b) returns a
};

constexpr std::array operator_rows{
    layout(Operator::leaf, Binding::atom, Binding::atom),
    infix(Operator::sum, Binding::sum, " + ", " + ", " + ", [](double a, double b) { return a + b; }),
    infix(Operator::difference, Binding::sum, " - ", " − ", " - ", [](double a, double b) { return a - b; }),
    infix(Operator::product, Binding::product, " * ", " · ", " \\cdot ", times),
    infix(Operator::tight_product, Binding::tight, "*", "·", " \\cdot ", times),
    infix(Operator::matrix_product, Binding::product, " @ ", " ", " "),
    with_pattern(infix(Operator::quotient, Binding::product, Binding::tight, " / ", "", "",
                       [](double a, double b) { return a / b; }),
                 fraction),
    with_pattern(infix(Operator::floor_quotient, Binding::product, Binding::tight, " // ", "", "",
                       [](double a, double b) { return std::floor(a / b); }),
                 fraction),
    with_pattern(layout(Operator::negative, Binding::tight, Binding::sum, [](double x) { return -x; }),
                 {"−[0 factor]", "-[0 factor]", "<mrow><mo>−</mo>[0 factor]</mrow>"}),
    comparison(Operator::at_most, " <= ", " ≤ ", " \\le ",
               [](double a, double b) { return a <= b ? 1.0 : 0.0; }),
    comparison(Operator::at_least, " >= ", " ≥ ", " \\ge ",
               [](double a, double b) { return a >= b ? 1.0 : 0.0; }),
    comparison(Operator::equal, " == ", " = ", " = ", [](double a, double b) { return a == b ? 1.0 : 0.0; }),
    comparison(Operator::not_equal, " != ", " ≠ ", " \\ne ",
               [](double a, double b) { return a != b ? 1.0 : 0.0; }),
    with_pattern(layout(Operator::equation, Binding::comparison, Binding::comparison),
                 {"[0] = [1]", "[0] = [1]", "[0]<mo>=</mo>[1]"}),
    infix(Operator::range, Binding::atom, ":", ":", ":"),
    function(Operator::maximum, "max", nullptr, larger),
    function(Operator::exp, "exp", [](double x) { return std::exp(x); }),
    function(Operator::ln, "log", [](double x) { return std::log(x); }),
    function(Operator::sin, "sin", [](double x) { return std::sin(x); }),
    function(Operator::cos, "cos", [](double x) { return std::cos(x); }),
    with_pattern(function(Operator::sqrt, "sqrt", square_root), radical),
    with_pattern(layout(Operator::root, Binding::tight, Binding::atom, square_root), radical),
    with_pattern(layout(Operator::float_root, Binding::tight, Binding::atom, square_root), radical),
    function(Operator::abs, "abs", [](double x) { return std::abs(x); }),
    with_pattern(layout(Operator::subscript, Binding::atom, Binding::atom),
                 {"[0 base]_[1 index]", "[0 base]_{[1 index]}", "<msub>[0 base][1 index]</msub>"}),
    with_pattern(layout(Operator::transposed, Binding::atom, Binding::atom),
                 {"[0 base]ᵀ", "[0 base]^{\\top}", "<msup>[0 base]<mi>T</mi></msup>"}),
    layout(Operator::tuple, Binding::atom, Binding::atom),
    layout(Operator::list, Binding::atom, Binding::atom),
    layout(Operator::applied, Binding::atom, Binding::atom),
    layout(Operator::item, Binding::atom, Binding::atom),
    with_pattern(layout(Operator::total, Binding::sum, Binding::sum),
                 {"∑[0 factor]", "\\sum [0 factor]", "<mo>∑</mo>[0 factor]"}),
    with_pattern(layout(Operator::sum_over, Binding::sum, Binding::sum),
                 {"∑_[1] [0 factor]", "\\sum_{[1]} [0 factor]", "<munder><mo>∑</mo>[1]</munder>[0 factor]"}),
    with_pattern(
        layout(Operator::max_over, Binding::sum, Binding::sum),
        {"max_[1] [0 factor]", "\\max_{[1]} [0 factor]", "<munder><mi>max</mi>[1]</munder>[0 factor]"}),
    layout(Operator::cases, Binding::cases, Binding::cases),
};

}  // namespace

const OperatorRow& row_of(Operator op) {
    return *std::ranges::find(operator_rows, op, &OperatorRow::op);
}

}  // namespace attn
