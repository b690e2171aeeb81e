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
    infix(Operator::quotient, Binding::product, Binding::tight, " / ", "", "",
          [](double a, double b) { return a / b; }),
    infix(Operator::floor_quotient, Binding::product, Binding::tight, " // ", "", "",
          [](double a, double b) { return std::floor(a / b); }),
    layout(Operator::negative, Binding::tight, Binding::sum, [](double x) { return -x; }),
    comparison(Operator::at_most, " <= ", " ≤ ", " \\le ",
               [](double a, double b) { return a <= b ? 1.0 : 0.0; }),
    comparison(Operator::at_least, " >= ", " ≥ ", " \\ge ",
               [](double a, double b) { return a >= b ? 1.0 : 0.0; }),
    comparison(Operator::equal, " == ", " = ", " = ", [](double a, double b) { return a == b ? 1.0 : 0.0; }),
    comparison(Operator::not_equal, " != ", " ≠ ", " \\ne ",
               [](double a, double b) { return a != b ? 1.0 : 0.0; }),
    infix(Operator::equation, Binding::comparison, "", " = ", " = "),
    infix(Operator::range, Binding::atom, ":", ":", ":"),
    function(Operator::maximum, "max", nullptr, larger),
    function(Operator::exp, "exp", [](double x) { return std::exp(x); }),
    function(Operator::ln, "log", [](double x) { return std::log(x); }),
    function(Operator::sin, "sin", [](double x) { return std::sin(x); }),
    function(Operator::cos, "cos", [](double x) { return std::cos(x); }),
    function(Operator::sqrt, "sqrt", square_root),
    layout(Operator::root, Binding::tight, Binding::atom, square_root),
    layout(Operator::float_root, Binding::tight, Binding::atom, square_root),
    function(Operator::abs, "abs", [](double x) { return std::abs(x); }),
    layout(Operator::subscript, Binding::atom, Binding::atom),
    layout(Operator::transposed, Binding::atom, Binding::atom),
    layout(Operator::tuple, Binding::atom, Binding::atom),
    layout(Operator::list, Binding::atom, Binding::atom),
    layout(Operator::applied, Binding::atom, Binding::atom),
    layout(Operator::item, Binding::atom, Binding::atom),
    layout(Operator::total, Binding::sum, Binding::sum),
    layout(Operator::sum_over, Binding::sum, Binding::sum),
    layout(Operator::max_over, Binding::sum, Binding::sum),
    layout(Operator::cases, Binding::cases, Binding::cases),
};

}  // namespace

const OperatorRow& row_of(Operator op) {
    return *std::ranges::find(operator_rows, op, &OperatorRow::op);
}

}  // namespace attn
