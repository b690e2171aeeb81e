#include "notebook/ops/arithmetic.hpp"

#include "notebook/backward.hpp"
#include "notebook/ops/gradients.hpp"
#include "notebook/ops/row.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/trigonometry.hpp"

namespace attn {

namespace {

// The attribute `value` as a tensor.
Tensor value_of(const Arguments& x) {
    return full(Shape{}, float(x.call.value("value")));
}

}  // namespace

const Operation add_op{
    .name = "add",
    .evaluate = binary<add>,
    .gradient = [](const Backward& y) { return sum_to(y.grad, y.operand(y.to)); },
    .cells = Elementwise{Operator::sum},
};

Var operator+(Var a, Var b) {
    return add_op(a, b);
}

const Operation sub_op{
    .name = "sub",
    .evaluate = binary<sub>,
    .gradient = [](const Backward& y) { return sum_to(y.to == 0 ? y.grad : -y.grad, y.operand(y.to)); },
    .cells = Elementwise{Operator::difference},
    .marks = {.follows = 0},
};

Var operator-(Var a, Var b) {
    return sub_op(a, b);
}

const Operation neg_op{
    .name = "neg",
    .evaluate = [](const Arguments& x) { return mul(x[0], -1.0); },
    .torch = {"-{0}", Binding::product},
    .cpp = "mul({0}, -1)",
    .formula = [](const FormulaOf& x) { return -x.same(0); },
    .gradient = [](const Backward& y) { return -y.grad; },
    .cells = Elementwise{[](const Terms& x) { return constant(-1) * x(0); }},
};

Var operator-(Var x) {
    return neg_op(x);
}

const Operation mul_op{
    .name = "mul",
    .evaluate = binary<mul>,
    .gradient = [](const Backward& y) { return sum_to(y.grad * y.operand(1 - y.to), y.operand(y.to)); },
    .cells = Elementwise{Operator::product},
    .marks = {.follows = 0, .hides = hidden_by_factor},
};

Var operator*(Var a, Var b) {
    return mul_op(a, b);
}

const Operation div_op{
    .name = "div",
    .evaluate = binary<div>,
    .gradient =
        [](const Backward& y) {
            const Var divisor = y.operand(1);
            return sum_to(y.to == 0 ? y.grad / divisor : -y.grad * (y.result / divisor), y.operand(y.to));
        },
    .cells = Elementwise{Operator::quotient},
    .marks = {.follows = 0},
};

Var operator/(Var a, Var b) {
    return div_op(a, b);
}

const Operation mul_scalar_op{
    .name = "mul",
    .evaluate = with_value<mul>,
    .torch = {"{0} * {value}", Binding::product},
    .cpp = "mul({0}, {value})",
    .formula = [](const FormulaOf& x) { return x.number("value") * x.same(0); },
    .gradient = [](const Backward& y) { return y.grad * y.call.number("value"); },
    .cells = Elementwise{[](const Terms& x) { return x(0) * x("value"); }},
};

Var operator*(Var x, const Number& value) {
    return mul_scalar_op({x}, {{"value", value}});
}

const Operation div_scalar_op{
    .name = "div",
    .evaluate = with_value<div>,
    .torch = {"{0} / {value}", Binding::product},
    .cpp = "div({0}, {value})",
    .gradient = [](const Backward& y) { return y.grad / y.call.number("value"); },
    .cells = Elementwise{[](const Terms& x) { return x(0) / x("value"); }},
};

Var operator/(Var x, const Number& value) {
    return div_scalar_op({x}, {{"value", value}});
}

const Operation rsub_op{
    .name = "rsub",
    .evaluate = [](const Arguments& x) { return sub(value_of(x), x[0]); },
    .torch = {"{value} - {0}", Binding::sum},
    .cpp = "sub(full(Shape{{}}, {value}), {0})",
    .grad_fn = "RsubBackward1",
    .gradient = [](const Backward& y) { return -y.grad; },
    .cells = Elementwise{[](const Terms& x) { return x("value") - x(0); }},
};

Var operator-(const Number& value, Var x) {
    return rsub_op({x}, {{"value", value}});
}

const Operation rdiv_op{
    .name = "rdiv",
    .evaluate = [](const Arguments& x) { return div(value_of(x), x[0]); },
    .torch = {"{value} / {0}", Binding::product},
    .cpp = "div(full(Shape{{}}, {value}), {0})",
    .grad_fn = "MulBackward0",
    .cells = Elementwise{[](const Terms& x) { return x("value") / x(0); }},
};

Var operator/(const Number& value, Var x) {
    return rdiv_op({x}, {{"value", value}});
}

const Operation pow_op{
    .name = "pow",
    .evaluate = [](const Arguments& x) { return pow(x.call.value("base"), x[0]); },
    .torch = {"{base}**{0}", Binding::tight},
    .cpp = "pow({base}, {0})",
    .formula =
        [](const FormulaOf& x) {
            return applied(letter("pow"), {x.number("base"), x.same(0)});
        },
    .grad_fn = "PowBackward1",
    .cells = Elementwise{[](const Terms& x) { return exp(x(0) * ln(x("base"))); }},
};

Var pow(const Number& base, Var x) {
    return pow_op({x}, {{"base", base}});
}

const Operation maximum_op{
    .name = "maximum",
    .evaluate = binary<maximum>,
    .cells = Elementwise{Operator::maximum},
};

Var maximum(Var a, Var b) {
    return maximum_op(a, b);
}

const Operation exp_op{
    .name = "exp",
    .evaluate = unary<exp>,
    .gradient = [](const Backward& y) { return y.grad * y.result; },
    .cells = Elementwise{Operator::exp},
};

Var exp(Var x) {
    return exp_op(x);
}

const Operation abs_op{
    .name = "abs",
    .evaluate = unary<abs>,
    .torch = "{0}.abs()",
    .numpy = "np.abs({0})",
    .cells = Elementwise{Operator::abs},
};

Var abs(Var x) {
    return abs_op(x);
}

const Operation sqrt_op{
    .name = "sqrt",
    .evaluate = unary<sqrt>,
    .gradient = [](const Backward& y) { return y.grad / (y.result * literal(2)); },
    .cells = Elementwise{Operator::sqrt},
};

Var sqrt(Var x) {
    return sqrt_op(x);
}

const Operation square{
    .name = "square",
    .evaluate = [](const Arguments& x) { return mul(x[0], x[0]); },
    .torch = "{0}.square()",
    .numpy = "np.square({0})",
    .cpp = "mul({0}, {0})",
    .formula = [](const FormulaOf& x) { return x.cell(0) * x.cell(0); },
    .grad_fn = "PowBackward0",
    .gradient = [](const Backward& y) { return y.grad * (y.operand(0) * literal(2)); },
    .cells = Elementwise{[](const Terms& x) { return x(0) * x(0); }},
};

}  // namespace attn
