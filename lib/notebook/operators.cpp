#include "notebook/operators.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace attn {

namespace {

using Pair = double (*)(double, double);

constexpr OperatorRow infix(Operator op, Binding binding, std::string_view code, std::string_view text,
                            std::string_view latex, Pair of_two = nullptr) {
    return {op, binding, code, text, latex, nullptr, of_two};
}

constexpr OperatorRow function(Operator op, std::string_view code, double (*of_one)(double)) {
    return {op, Binding::atom, code, {}, {}, of_one};
}

constexpr Pair times = [](double a, double b) { return a * b; };
constexpr Pair largest = [](double a, double b) {
    return std::isnan(b) ? b : std::max(a, b);  // which keeps a NaN it has
};

constexpr std::array<OperatorRow, 19> rows{
    OperatorRow{Operator::leaf, Binding::atom, ""},
    infix(Operator::sum, Binding::sum, " + ", " + ", " + ", [](double a, double b) { return a + b; }),
    infix(Operator::difference, Binding::sum, " - ", " − ", " - ", [](double a, double b) { return a - b; }),
    infix(Operator::product, Binding::product, " * ", " · ", " \\cdot ", times),
    infix(Operator::tight_product, Binding::tight, "*", "·", " \\cdot ", times),
    infix(Operator::matrix_product, Binding::product, " @ ", " ", " "),
    infix(Operator::quotient, Binding::product, " / ", " / ", " / ",
          [](double a, double b) { return a / b; }),
    infix(Operator::at_most, Binding::comparison, " <= ", " ≤ ", " \\le ",
          [](double a, double b) { return a <= b ? 1.0 : 0.0; }),
    infix(Operator::at_least, Binding::comparison, " >= ", " ≥ ", " \\ge ",
          [](double a, double b) { return a >= b ? 1.0 : 0.0; }),
    infix(Operator::equal, Binding::comparison, " == ", " = ", " = ",
          [](double a, double b) { return a == b ? 1.0 : 0.0; }),
    infix(Operator::not_equal, Binding::comparison, " != ", " ≠ ", " \\ne ",
          [](double a, double b) { return a != b ? 1.0 : 0.0; }),
    infix(Operator::range, Binding::atom, ":", ":", ":"),
    OperatorRow{Operator::maximum, Binding::atom, "max", {}, {}, nullptr, largest},
    function(Operator::exp, "exp", [](double x) { return std::exp(x); }),
    function(Operator::ln, "log", [](double x) { return std::log(x); }),
    function(Operator::sin, "sin", [](double x) { return std::sin(x); }),
    function(Operator::cos, "cos", [](double x) { return std::cos(x); }),
    function(Operator::sqrt, "sqrt", [](double x) { return std::sqrt(x); }),
    function(Operator::abs, "abs", [](double x) { return std::abs(x); }),
};

}  // namespace

const OperatorRow& row_of(Operator op) {
    return rows[static_cast<std::size_t>(op)];
}

bool is_comparison(Operator op) {
    return row_of(op).binding == Binding::comparison;
}

}  // namespace attn
