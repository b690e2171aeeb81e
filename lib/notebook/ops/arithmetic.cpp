#include "notebook/ops/arithmetic.hpp"

#include "notebook/backward.hpp"
#include "notebook/ops/gradients.hpp"
#include "notebook/ops/row.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/trigonometry.hpp"

namespace attn {

const Operation add_op{
    .name = "add",
    .evaluate = binary<add>,
    .torch = {"{0} + {1}", Binding::sum},
    .cpp = "add({0}, {1})",
    .formula = [](FormulaOf& x) { return x.whole(0) + x.whole(1); },
    .grad_fn = "AddBackward0",
    .gradient = [](const Backward& y, std::size_t operand) { return sum_to(y.grad, y.operand(operand)); },
    .function = Operator::sum,
    .sign = Sign::of_operands,
};

Var operator+(Var a, Var b) {
    return record(add_op, {a, b});
}

const Operation sub_op{
    .name = "sub",
    .evaluate = binary<sub>,
    .torch = {"{0} - {1}", Binding::sum},
    .cpp = "sub({0}, {1})",
    .formula = [](FormulaOf& x) { return x.whole(0) - x.whole(1); },
    .grad_fn = "SubBackward0",
    .gradient =
        [](const Backward& y, std::size_t operand) {
            return sum_to(operand == 0 ? y.grad : -y.grad, y.operand(operand));
        },
    .function = Operator::difference,
    .follows = 0,
};

Var operator-(Var a, Var b) {
    return record(sub_op, {a, b});
}

const Operation neg_op{
    .name = "neg",
    .evaluate = [](const Call&, Operands x, Generator&) { return mul(*x[0], -1.0); },
    .torch = {"-{0}", Binding::product},
    .numpy = {"-{0}", Binding::product},
    .cpp = "mul({0}, -1)",
    .formula = [](FormulaOf& x) { return -x.same(0); },
    .grad_fn = "NegBackward0",
    .gradient = [](const Backward& y, std::size_t) { return -y.grad; },
    .cells = [](const CellOf& x) { return constant(-1) * x(0); },
    .follows = 0,
};

Var operator-(Var x) {
    return record(neg_op, {x});
}

const Operation mul_op{
    .name = "mul",
    .evaluate = binary<mul>,
    .torch = {"{0} * {1}", Binding::product},
    .cpp = "mul({0}, {1})",
    .grad_fn = "MulBackward0",
    .gradient =
        [](const Backward& y, std::size_t operand) {
            return sum_to(y.grad * y.operand(1 - operand), y.operand(operand));
        },
    .function = Operator::product,
    .follows = 0,
    .sign = Sign::of_operands,
    .hides = hidden_by_factor,
};

Var operator*(Var a, Var b) {
    return record(mul_op, {a, b});
}

const Operation div_op{
    .name = "div",
    .evaluate = binary<div>,
    .torch = {"{0} / {1}", Binding::product},
    .cpp = "div({0}, {1})",
    .grad_fn = "DivBackward0",
    .gradient =
        [](const Backward& y, std::size_t operand) {
            const Var divisor = y.operand(1);
            return sum_to(operand == 0 ? y.grad / divisor : -y.grad * (y.result / divisor),
                          y.operand(operand));
        },
    .function = Operator::quotient,
    .follows = 0,
    .sign = Sign::of_operands,
};

Var operator/(Var a, Var b) {
    return record(div_op, {a, b});
}

const Operation mul_scalar_op{
    .name = "mul",
    .evaluate = with_value<mul>,
    .torch = {"{0} * {value}", Binding::product},
    .cpp = "mul({0}, {value})",
    .formula = [](FormulaOf& x) { return x.number("value") * x.same(0); },
    .grad_fn = "MulBackward0",
    .gradient = [](const Backward& y, std::size_t) { return y.grad * y.call.number("value"); },
    .cells = [](const CellOf& x) { return x(0) * x("value"); },
    .follows = 0,
    .sign = Sign::of_operands,
};

Var operator*(Var x, const Number& value) {
    return record(mul_scalar_op, {x}, {{"value", {value}}});
}

const Operation div_scalar_op{
    .name = "div",
    .evaluate = with_value<div>,
    .torch = {"{0} / {value}", Binding::product},
    .cpp = "div({0}, {value})",
    .formula = [](FormulaOf& x) { return x.same(0) / x.number("value"); },
    .grad_fn = "DivBackward0",
    .gradient = [](const Backward& y, std::size_t) { return y.grad / y.call.number("value"); },
    .cells = [](const CellOf& x) { return x(0) / x("value"); },
    .follows = 0,
    .sign = Sign::of_operands,
};

Var operator/(Var x, const Number& value) {
    return record(div_scalar_op, {x}, {{"value", {value}}});
}

const Operation rsub_op{
    .name = "rsub",
    .evaluate = [](const Call& call, Operands x,
                   Generator&) { return sub(full(Shape{}, static_cast<float>(call.value("value"))), *x[0]); },
    .torch = {"{value} - {0}", Binding::sum},
    .cpp = "sub(full(Shape{{}}, {value}), {0})",
    .formula = [](FormulaOf& x) { return x.number("value") - x.same(0); },
    .grad_fn = "RsubBackward1",
    .gradient = [](const Backward& y, std::size_t) { return -y.grad; },
    .cells = [](const CellOf& x) { return x("value") - x(0); },
    .follows = 0,
};

Var operator-(const Number& value, Var x) {
    return record(rsub_op, {x}, {{"value", {value}}});
}

const Operation rdiv_op{
    .name = "rdiv",
    .evaluate = [](const Call& call, Operands x,
                   Generator&) { return div(full(Shape{}, static_cast<float>(call.value("value"))), *x[0]); },
    .torch = {"{value} / {0}", Binding::product},
    .cpp = "div(full(Shape{{}}, {value}), {0})",
    .formula = [](FormulaOf& x) { return x.number("value") / x.same(0); },
    .grad_fn = "MulBackward0",
    .cells = [](const CellOf& x) { return x("value") / x(0); },
    .sign = Sign::of_operands,
};

Var operator/(const Number& value, Var x) {
    return record(rdiv_op, {x}, {{"value", {value}}});
}

const Operation pow_op{
    .name = "pow",
    .evaluate = [](const Call& call, Operands x, Generator&) { return pow(call.value("base"), *x[0]); },
    .torch = {"{base}**{0}", Binding::tight},
    .cpp = "pow({base}, {0})",
    .formula =
        [](FormulaOf& x) {
            return applied(letter("pow"), {x.number("base"), x.same(0)});
        },
    .grad_fn = "PowBackward1",
    .cells = [](const CellOf& x) { return exp(x(0) * ln(x("base"))); },
    .sign = Sign::never_negative,
};

Var pow(const Number& base, Var x) {
    return record(pow_op, {x}, {{"base", {base}}});
}

const Operation maximum_op{
    .name = "maximum",
    .evaluate = binary<maximum>,
    .torch = "torch.maximum({0}, {1})",
    .numpy = "np.maximum({0}, {1})",
    .cpp = "maximum({0}, {1})",
    .grad_fn = "MaximumBackward0",
    .function = Operator::maximum,
    .sign = Sign::of_operands,
};

Var maximum(Var a, Var b) {
    return record(maximum_op, {a, b});
}

const Operation exp_op{
    .name = "exp",
    .evaluate = unary<exp>,
    .torch = "torch.exp({0})",
    .numpy = "np.exp({0})",
    .cpp = "exp({0})",
    .grad_fn = "ExpBackward0",
    .gradient = [](const Backward& y, std::size_t) { return y.grad * y.result; },
    .function = Operator::exp,
    .follows = 0,
    .sign = Sign::never_negative,
};

Var exp(Var x) {
    return record(exp_op, {x});
}

const Operation abs_op{
    .name = "abs",
    .evaluate = unary<abs>,
    .torch = "{0}.abs()",
    .numpy = "np.abs({0})",
    .cpp = "abs({0})",
    .grad_fn = "AbsBackward0",
    .function = Operator::abs,
    .follows = 0,
    .sign = Sign::never_negative,
};

Var abs(Var x) {
    return record(abs_op, {x});
}

const Operation sqrt_op{
    .name = "sqrt",
    .evaluate = unary<sqrt>,
    .torch = "torch.sqrt({0})",
    .numpy = "np.sqrt({0})",
    .cpp = "sqrt({0})",
    .grad_fn = "SqrtBackward0",
    .gradient = [](const Backward& y, std::size_t) { return y.grad / (y.result * literal(2)); },
    .function = Operator::sqrt,
    .follows = 0,
    .sign = Sign::never_negative,
};

Var sqrt(Var x) {
    return record(sqrt_op, {x});
}

const Operation square_op{
    .name = "square",
    .evaluate = [](const Call&, Operands x, Generator&) { return mul(*x[0], *x[0]); },
    .torch = "{0}.square()",
    .numpy = "np.square({0})",
    .cpp = "mul({0}, {0})",
    .formula = [](FormulaOf& x) { return x.cell(0) * x.cell(0); },
    .grad_fn = "PowBackward0",
    .gradient = [](const Backward& y, std::size_t) { return y.grad * (y.operand(0) * literal(2)); },
    .cells = [](const CellOf& x) { return x(0) * x(0); },
    .follows = 0,
    .sign = Sign::never_negative,
};

Var square(Var x) {
    return record(square_op, {x});
}

}  // namespace attn
