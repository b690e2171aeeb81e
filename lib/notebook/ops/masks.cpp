#include "notebook/ops/masks.hpp"

#include "notebook/ops/arithmetic.hpp"
#include "notebook/ops/reductions.hpp"
#include "notebook/ops/row.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"

namespace attn {

const Operation eq_op{
    .name = "eq",
    .evaluate = [](const Call& call, Operands x,
                   Generator&) { return equal(*x[0], static_cast<float>(call.value("value"))); },
    .torch = {"{0} == {value}", Binding::comparison},
    .numpy = {"{0} == {value}", Binding::comparison},
    .cpp = {"equal({0}, {value})", header::elementwise},
    .mathml = {"{0:ij}<mo>=</mo>{value}", Binding::comparison},
    .cells = "[{0} = {value}]",
    .follows = 0,
    .sign = Sign::never_negative,
    .returns = Returns::truths,
};

Var eq(Var x, const Number& value) {
    return record(eq_op, {x}, {{"value", {value}}});
}

const Operation le_op{
    .name = "le",
    .evaluate = binary<at_most>,
    .torch = {"{0} <= {1}", Binding::comparison},
    .numpy = {"{0} <= {1}", Binding::comparison},
    .cpp = {"at_most({0}, {1})", header::elementwise},
    .mathml = {"{0}<mo>≤</mo>{1}", Binding::comparison},
    .cells = "[{0} ≤ {1}]",
    .sign = Sign::never_negative,
    .returns = Returns::truths,
};

Var le(Var a, Var b) {
    return record(le_op, {a, b});
}

const Operation bool_op{
    .name = "bool",
    .evaluate = [](const Call&, Operands x, Generator&) { return not_equal(*x[0], 0.0F); },
    .torch = "{0}.bool()",
    .numpy = "{0}.astype(bool)",
    .cpp = {"not_equal({0}, 0)", header::elementwise},
    .mathml = {"{0:ij}<mo>=</mo><mn>1</mn>", Binding::comparison},
    .explain =
        [](const Call&, Operands, const Tensor&, const Index& cell) {
            return Explanation{"[{} ≠ {}]", {{0, cell}, number_cell(0.0)}};
        },
    .follows = 0,
    .sign = Sign::never_negative,
    .returns = Returns::truths,
};

Var as_bool(Var x) {
    return record(bool_op, {x});
}

// Our truth values are numbers already.
const Operation float_op{
    .name = "float",
    .evaluate = operand_itself,
    .torch = "{0}.float()",
    .numpy = "{0}.astype(np.float32)",
    .cpp = "{0}",
    .mathml = {"<mn>1</mn><mtext> if </mtext>{0}<mtext> else </mtext><mn>0</mn>", Binding::comparison},
    .explain = explain_same_cell,
    .cost = cost_of_moving,
    .follows = 0,
    .sign = Sign::of_operands,
};

Var as_float(Var x) {
    return record(float_op, {x});
}

Var agree(Var a, Var b) {
    constexpr double noise = 1e-5;
    return as_float(le(amax(abs(a - b)), amax(abs(b)) * literal(noise)));
}

namespace {

// How far a cell lies to the right of the diagonal.
int right_of_diagonal(Operands x, const Index& cell) {
    return static_cast<int>(cell[x[0]->rank() - 1]) - static_cast<int>(cell[x[0]->rank() - 2]);
}

// A triangle keeps a cell or makes it 0.
Explanation explain_triangle(bool keeps, const Index& cell, Reason reason) {
    return {keeps ? "{}" : "0",
            keeps ? std::vector<Cell>{{0, cell}} : std::vector<Cell>{},
            {},
            std::move(reason)};
}

Explanation explain_tril(const Call& call, Operands x, const Tensor&, const Index& cell) {
    if (call.find("diagonal") == nullptr) {
        const bool keeps = right_of_diagonal(x, cell) <= 0;
        return explain_triangle(keeps, cell, {keeps ? "tril_keeps" : "tril_clears"});
    }
    const bool keeps = right_of_diagonal(x, cell) <= call.integer("diagonal");
    return explain_triangle(keeps, cell,
                            {keeps ? "tril_keeps_to" : "tril_clears_to", {fact(call, "diagonal")}});
}

Explanation explain_triu(const Call& call, Operands x, const Tensor&, const Index& cell) {
    const int diagonal = call.integer("diagonal");
    const bool keeps = right_of_diagonal(x, cell) >= diagonal;
    const bool is_causal = diagonal == 1;  // what lies right of the diagonal comes later
    return explain_triangle(keeps, cell,
                            {is_causal ? (keeps ? "triu_keeps" : "triu_clears")
                                       : (keeps ? "triu_keeps_from" : "triu_clears_from"),
                             {fact(call, "diagonal")}});
}

// One of two ways to write a call: with its diagonal or without.
template <typename T>
T by_diagonal(const Call& call, T with, T without) {
    return call.find("diagonal") != nullptr ? with : without;
}

}  // namespace

const Operation tril_op{
    .name = "tril",
    .evaluate =
        [](const Call& call, Operands x, Generator&) {
            return tril(*x[0], call.find("diagonal") == nullptr ? 0 : call.integer("diagonal"));
        },
    .torch =
        [](const Call& call, Operands) {
            return by_diagonal<Syntax>(call, "torch.tril({0}, diagonal={diagonal})", "torch.tril({0})");
        },
    .numpy = [](const Call& call,
                Operands) { return by_diagonal<Syntax>(call, "np.tril({0}, k={diagonal})", "np.tril({0})"); },
    .cpp =
        [](const Call& call, Operands) {
            return by_diagonal<Syntax>(call, {"tril({0}, {diagonal})", header::layout},
                                       {"tril({0})", header::layout});
        },
    .mathml =
        [](const Call& call, Operands) {
            return by_diagonal<Syntax>(call,
                                       {"{0:ij}<mtext> if </mtext><mi>j</mi><mo>≤</mo><mi>i</mi><mo>+</mo>"
                                        "{diagonal}<mtext> else </mtext><mn>0</mn>",
                                        Binding::comparison},
                                       {"{0:ij}<mtext> if </mtext><mi>j</mi><mo>≤</mo><mi>i</mi>"
                                        "<mtext> else </mtext><mn>0</mn>",
                                        Binding::comparison});
        },
    .grad_fn = "TrilBackward0",
    .explain = explain_tril,
    .cost = cost_of_moving,
    .sign = Sign::of_operands,
    .zero = CellKind::masked,
};

Var tril(Var x) {
    return record(tril_op, {x});
}

Var tril(Var x, int diagonal) {
    return record(tril_op, {x}, {{"diagonal", {literal(diagonal)}}});
}

const Operation triu_op{
    .name = "triu",
    .evaluate = [](const Call& call, Operands x,
                   Generator&) { return triu(*x[0], call.integer("diagonal")); },
    .torch = "torch.triu({0}, diagonal={diagonal})",
    .numpy = "np.triu({0}, k={diagonal})",
    .cpp = {"triu({0}, {diagonal})", header::layout},
    .mathml = {"{0:ij}<mtext> if </mtext><mi>j</mi><mo>≥</mo><mi>i</mi><mo>+</mo>{diagonal}"
               "<mtext> else </mtext><mn>0</mn>",
               Binding::comparison},
    .grad_fn = "TriuBackward0",
    .explain = explain_triu,
    .cost = cost_of_moving,
    .sign = Sign::of_operands,
    .zero = CellKind::masked,
};

Var triu(Var x, int diagonal) {
    return record(triu_op, {x}, {{"diagonal", {literal(diagonal)}}});
}

const Operation masked_fill_op{
    .name = "masked_fill",
    .evaluate = [](const Call& call, Operands x,
                   Generator&) { return masked_fill(*x[0], *x[1], static_cast<float>(call.value("value"))); },
    .torch = "{0}.masked_fill({1}, {value})",
    .numpy = "np.where({1}, np.float32({value}), {0})",
    .cpp = {"masked_fill({0}, {1}, {value})", header::elementwise},
    .mathml = {"{value}<mtext> if </mtext><mrow>{1:ij}</mrow><mtext> else </mtext>{0:ij}",
               Binding::comparison},
    .grad_fn = "MaskedFillBackward0",
    .explain =
        [](const Call& call, Operands x, const Tensor& result, const Index& cell) {
            const Fact mask = fact("mask", broadcast_cell(x, 1, result, cell));
            const bool masked = x[1]->at(mask.cell.index) != 0.0F;
            return masked ? Explanation{"{}", {number_cell(call, "value")}, {}, {"masked", {mask}}}
                          : moved({0, cell}, {"unmasked", {mask}});
        },
    .follows = 0,
    .sign = Sign::of_followed,
    .hides =
        [](Operands x, const Tensor& result, const Index& cell, CellKind) {
            return broadcast_value(x, 1, result, cell) != 0.0F ? CellKind::masked : CellKind::number;
        },
};

Var masked_fill(Var x, Var mask, const Number& value) {
    return record(masked_fill_op, {x, mask}, {{"value", {value}}});
}

}  // namespace attn
