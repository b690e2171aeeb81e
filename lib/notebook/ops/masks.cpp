#include "notebook/ops/masks.hpp"

#include "notebook/backward.hpp"
#include "notebook/ops/arithmetic.hpp"
#include "notebook/ops/reductions.hpp"
#include "notebook/ops/row.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"

namespace attn {

const Operation eq_op{
    .name = "eq",
    .evaluate = [](const Arguments& x) { return eq(x[0], float(x.call.value("value"))); },
    .torch = {"{0} == {value}", Binding::comparison},
    .cpp = "eq({0}, {value})",
    .cells = Elementwise{[](const Terms& x) { return combined(Operator::equal, x(0), x("value")); }},
    .returns = Returns::truths,
};

Var eq(Var x, const Number& value) {
    return eq_op({x}, {{"value", value}});
}

const Operation le_op{
    .name = "le",
    .evaluate = binary<le>,
    .torch = {"{0} <= {1}", Binding::comparison},
    .cells = Elementwise{Operator::at_most},
    .returns = Returns::truths,
};

Var le(Var a, Var b) {
    return le_op(a, b);
}

const Operation as_bool{
    .name = "bool",
    .evaluate = [](const Arguments& x) { return ne(x[0], 0.0F); },
    .torch = "{0}.bool()",
    .numpy = "{0}.astype(bool)",
    .cpp = "ne({0}, 0)",
    .formula = [](const FormulaOf& x) { return combined(Operator::equal, x.cell(0), literal(1)); },
    .cells = Elementwise{[](const Terms& x) { return combined(Operator::not_equal, x(0), number(0.0)); }},
    .returns = Returns::truths,
};

const Operation logical_not{
    .name = "bitwise_not",
    .evaluate = [](const Arguments& x) { return eq(x[0], 0.0F); },
    .torch = {"~{0}", Binding::tight},
    .cpp = "eq({0}, 0)",
    .formula = [](const FormulaOf& x) { return combined(Operator::equal, x.cell(0), literal(0)); },
    .cells = Elementwise{[](const Terms& x) { return combined(Operator::equal, x(0), number(0.0)); }},
    .returns = Returns::truths,
};

// Nothing changes, because a boolean tensor already contains 0 and 1.
const Operation as_float{
    .name = "float",
    .evaluate = operand_itself,
    .torch = "{0}.float()",
    .numpy = "{0}.astype(np.float32)",
    .cpp = "{0}",
    .formula = [](const FormulaOf& x) { return cases(literal(1), x.whole(0), literal(0)); },
    .marks = {.follows = 0},
};

Var agree(Var a, Var b) {
    return agree(a, b, b);
}

Var agree(Var a, Var b, Var scale) {
    constexpr double noise = 1e-5;
    return as_float(le(amax(abs(a - b)), amax(abs(scale)) * literal(noise)));
}

Var identical(Var a, Var b) {
    return as_float(eq(amax(abs(a - b)), literal(0)));
}

namespace {

Reason reason_of_tril(const Moved& x) {
    if (!x.call.has("diagonal")) {
        return {x.from ? "tril_keeps" : "tril_clears"};
    }
    return {x.from ? "tril_keeps_to" : "tril_clears_to", {fact(x, "diagonal")}};
}

Reason reason_of_triu(const Moved& x) {
    const bool is_causal = x.call.integer("diagonal") == 1;  // cells right of the diagonal are later tokens
    return {is_causal ? (x.from ? "triu_keeps" : "triu_clears")
                      : (x.from ? "triu_keeps_from" : "triu_clears_from"),
            {fact(x, "diagonal")}};
}

Expr triangle_formula(const FormulaOf& x, Operator sign) {
    const Expr row = letter("i");
    if (!x.call.has("diagonal")) {
        return cases(x.cell(0), combined(sign, letter("j"), row), literal(0));
    }
    const Expr& diagonal = x.number("diagonal");
    const bool is_below = diagonal.op == Operator::negative;
    const Expr edge = is_below ? row - diagonal.parts[0] : row + diagonal;
    return cases(x.cell(0), combined(sign, letter("j"), edge), literal(0));
}

}  // namespace

const Operation tril_op{
    .name = "tril",
    .evaluate =
        [](const Arguments& x) {
            return tril(x[0], x.call.has("diagonal") ? x.call.integer("diagonal") : 0);
        },
    .torch = "torch.tril({0}{diagonal?, diagonal={diagonal}})",
    .numpy = "np.tril({0}{diagonal?, k={diagonal}})",
    .cpp = "tril({0}{diagonal?, {diagonal}})",
    .formula = [](const FormulaOf& x) { return triangle_formula(x, Operator::at_most); },
    .gradient = [](const Backward& y) { return tril_op({y.grad}, y.call.attributes); },
    .cells = Moves{reason_of_tril},
    .marks = {.zero = CellKind::masked},
};

Var tril(Var x) {
    return tril_op(x);
}

Var tril(Var x, const Number& diagonal) {
    return tril_op({x}, {{"diagonal", diagonal}});
}

const Operation triu_op{
    .name = "triu",
    .evaluate = [](const Arguments& x) { return triu(x[0], x.call.integer("diagonal")); },
    .torch = "torch.triu({0}, diagonal={diagonal})",
    .numpy = "np.triu({0}, k={diagonal})",
    .cpp = "triu({0}, {diagonal})",
    .formula = [](const FormulaOf& x) { return triangle_formula(x, Operator::at_least); },
    .gradient = [](const Backward& y) { return triu_op({y.grad}, y.call.attributes); },
    .cells = Moves{reason_of_triu},
    .marks = {.zero = CellKind::masked},
};

Var triu(Var x, int diagonal) {
    return triu_op({x}, {{"diagonal", diagonal}});
}

const Operation masked_fill_op{
    .name = "masked_fill",
    .evaluate = [](const Arguments& x) { return masked_fill(x[0], x[1], float(x.call.value("value"))); },
    .torch = "{0}.masked_fill({1}, {value})",
    .numpy = "np.where({1}, np.float32({value}), {0})",
    .cpp = "masked_fill({0}, {1}, {value})",
    .formula = [](const FormulaOf& x) { return cases(x.number("value"), x.cell(1), x.cell(0)); },
    .gradient = [](const Backward& y) { return masked_fill(y.grad, y.operand(1), literal(0)); },
    .cells = Explained{[](const CellOf& x) {
        const bool masked = x.value(1) != 0.0F;
        return Explanation{
            masked ? x("value") : x(0), {}, {masked ? "masked" : "unmasked", {fact("mask", x(1))}}};
    }},
    .marks = {.follows = 0,
              .hides = [](const CellOf& x,
                          CellKind) { return x.value(1) != 0.0F ? CellKind::masked : CellKind::number; }},
};

Var masked_fill(Var x, Var mask, const Number& value) {
    return masked_fill_op({x, mask}, {{"value", value}});
}

}  // namespace attn
