#include "notebook/ops/arithmetic.hpp"

#include "notebook/ops/row.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"

namespace attn {

const Operation add_op{
    .name = "add",
    .evaluate = binary<add>,
    .torch = {"{0} + {1}", Binding::sum},
    .numpy = {"{0} + {1}", Binding::sum},
    .cpp = {"add({0}, {1})", header::elementwise},
    .mathml = {"{0}<mo>+</mo>{1}", Binding::sum},
    .grad_fn = "AddBackward0",
    .cells = "{0} + {1}",
    .sign = Sign::of_operands,
};

Var operator+(Var a, Var b) {
    return record(add_op, {a, b});
}

const Operation sub_op{
    .name = "sub",
    .evaluate = binary<subtract>,
    .torch = {"{0} - {1}", Binding::sum},
    .numpy = {"{0} - {1}", Binding::sum},
    .cpp = {"subtract({0}, {1})", header::elementwise},
    .mathml = {"{0}<mo>−</mo>{1}", Binding::sum},
    .grad_fn = "SubBackward0",
    .cells = "{0} − {1}",
    .follows = 0,
};

Var operator-(Var a, Var b) {
    return record(sub_op, {a, b});
}

const Operation mul_op{
    .name = "mul",
    .evaluate = binary<multiply>,
    .torch = {"{0} * {1}", Binding::product},
    .numpy = {"{0} * {1}", Binding::product},
    .cpp = {"multiply({0}, {1})", header::elementwise},
    .mathml = {"{0:ij}<mo>·</mo>{1:ij}", Binding::product},
    .grad_fn = "MulBackward0",
    .cells = "{0} · {1}",
    .follows = 0,
    .sign = Sign::of_operands,
    .hides = hidden_by_factor,
};

Var operator*(Var a, Var b) {
    return record(mul_op, {a, b});
}

const Operation div_op{
    .name = "div",
    .evaluate = binary<divide>,
    .torch = {"{0} / {1}", Binding::product},
    .numpy = {"{0} / {1}", Binding::product},
    .cpp = {"divide({0}, {1})", header::elementwise},
    .mathml = "<mfrac><mrow>{0:ij}</mrow><mrow>{1:ij}</mrow></mfrac>",
    .grad_fn = "DivBackward0",
    .cells = "{0} / {1}",
    .follows = 0,
    .sign = Sign::of_operands,
};

Var operator/(Var a, Var b) {
    return record(div_op, {a, b});
}

const Operation mul_scalar_op{
    .name = "mul",
    .evaluate = with_value<multiply>,
    .torch = {"{0} * {value}", Binding::product},
    .numpy = {"{0} * {value}", Binding::product},
    .cpp = {"multiply({0}, {value})", header::elementwise},
    .mathml = {"{value}<mo>·</mo>{0:same}", Binding::product},
    .grad_fn = "MulBackward0",
    .cells = "{0} · {value}",
    .follows = 0,
    .sign = Sign::of_operands,
};

Var operator*(Var x, const Number& value) {
    return record(mul_scalar_op, {x}, {{"value", {value}}});
}

const Operation div_scalar_op{
    .name = "div",
    .evaluate = with_value<divide>,
    .torch = {"{0} / {value}", Binding::product},
    .numpy = {"{0} / {value}", Binding::product},
    .cpp = {"divide({0}, {value})", header::elementwise},
    .mathml = "<mfrac><mrow>{0:same}</mrow><mrow>{value}</mrow></mfrac>",
    .grad_fn = "DivBackward0",
    .cells = "{0} / {value}",
    .follows = 0,
    .sign = Sign::of_operands,
};

Var operator/(Var x, const Number& value) {
    return record(div_scalar_op, {x}, {{"value", {value}}});
}

const Operation rsub_op{
    .name = "rsub",
    .evaluate =
        [](const Call& call, Operands x, Generator&) {
            return subtract(full(Shape{}, static_cast<float>(call.value("value"))), *x[0]);
        },
    .torch = {"{value} - {0}", Binding::sum},
    .numpy = {"{value} - {0}", Binding::sum},
    .cpp = {"subtract(full(Shape{{}}, {value}), {0})",
            "#include \"tensor/elementwise.hpp\"\n#include \"tensor/layout.hpp\""},
    .mathml = {"{value}<mo>−</mo>{0:same}", Binding::sum},
    .grad_fn = "RsubBackward1",
    .cells = "{value} − {0}",
    .follows = 0,
};

Var operator-(const Number& value, Var x) {
    return record(rsub_op, {x}, {{"value", {value}}});
}

const Operation maximum_op{
    .name = "maximum",
    .evaluate = binary<maximum>,
    .torch = "torch.maximum({0}, {1})",
    .numpy = "np.maximum({0}, {1})",
    .cpp = {"maximum({0}, {1})", header::elementwise},
    .mathml = "<mrow><mi>max</mi><mo>(</mo>{0:ij}<mo>,</mo>{1:ij}<mo>)</mo></mrow>",
    .grad_fn = "MaximumBackward0",
    .cells = "max({0}, {1})",
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
    .cpp = {"exp({0})", header::elementwise},
    .mathml = "<mrow><mi>exp</mi><mo>(</mo>{0:same}<mo>)</mo></mrow>",
    .grad_fn = "ExpBackward0",
    .cells = "exp({0})",
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
    .cpp = {"abs({0})", header::elementwise},
    .mathml = "<mrow><mo>|</mo>{0:same}<mo>|</mo></mrow>",
    .grad_fn = "AbsBackward0",
    .cells = "abs({0})",
    .follows = 0,
    .sign = Sign::never_negative,
};

Var abs(Var x) {
    return record(abs_op, {x});
}

const Operation sqrt_op{
    .name = "sqrt",
    .evaluate = unary<square_root>,
    .torch = "torch.sqrt({0})",
    .numpy = "np.sqrt({0})",
    .cpp = {"square_root({0})", header::elementwise},
    .mathml = "<msqrt><mrow>{0:same}</mrow></msqrt>",
    .grad_fn = "SqrtBackward0",
    .cells = "sqrt({0})",
    .follows = 0,
    .sign = Sign::never_negative,
};

Var sqrt(Var x) {
    return record(sqrt_op, {x});
}

}  // namespace attn
