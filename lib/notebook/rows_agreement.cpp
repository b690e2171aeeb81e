// Rows of what it takes to ask whether two ways lead to the same numbers. The answer is a number of its own,
// 1 or 0, for a difference that ought to be 0 is rounding noise and differs from machine to machine.
#include "notebook/rows.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/reduce.hpp"

namespace attn::rows {

const Operation largest{
    .name = "amax",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::largest(*x[0]); },
    .torch = {"{0}.amax()"},
    .numpy = {"{0}.max()"},
    .cpp = {.pattern = "largest({0})", .setup = header::reduce},
    .mathml = {"<mrow><mi>max</mi><mo>(</mo>{0}<mo>)</mo></mrow>"},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "AmaxBackward0"; },
    .explain = [](const Call&, Operands x, const Tensor&, const Index&) { return largest_of(all_cells(x)); },
    .cost = cost_per_operand_cell,
};

const Operation at_most{
    .name = "le",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::at_most(*x[0], *x[1]); },
    .torch = {"{0} <= {1}", Binding::comparison},
    .numpy = {"{0} <= {1}", Binding::comparison},
    .cpp = {.pattern = "at_most({0}, {1})", .setup = header::elementwise},
    .mathml = {"{0}<mo>≤</mo>{1}", Binding::comparison},
    .grad_fn = no_grad_fn,
    .explain =
        [](const Call&, Operands x, const Tensor& result, const Index& cell) {
            return truth_of(broadcast_cell(x, 0, result, cell), "≤", broadcast_cell(x, 1, result, cell));
        },
    .cost = cost_per_cell,
};

// Our truth values are numbers already.
const Operation as_float{
    .name = "float",
    .evaluate = [](const Call&, Operands x, Generator&) { return *x[0]; },
    .torch = {"{0}.float()"},
    .numpy = {"{0}.astype(np.float32)"},
    .cpp = {"{0}"},
    .mathml = {"<mn>1</mn><mtext> if </mtext>{0}<mtext> else </mtext><mn>0</mn>", Binding::comparison},
    .grad_fn = no_grad_fn,
    .explain = explain_same_cell,
    .cost = cost_of_moving,
};

}  // namespace attn::rows
