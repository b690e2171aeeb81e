// Rows of what NumPy computes otherwise than PyTorch: what it draws, and exp and sum, whose last bits differ.
// The rest of a NumPy stage is made of the rows it shares with the others. Rows of another file can be read
// here: they are constants, there before anything is run.
#include "notebook/rows.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/numpy.hpp"

namespace attn::rows {

const Operation numpy_seed{
    .name = "seed",
    .evaluate = manual_seed.evaluate,
    .torch = {"np.random.seed({seed})", Binding::atom, true, "import numpy as np"},
    .numpy = {"np.random.seed({seed})", Binding::atom, true},
    .cpp = manual_seed.cpp,
    .mathml = {},
    .grad_fn = no_grad_fn,
    .explain = explain_leaf,
    .cost = manual_seed.cost,
    .is_tensor = false,
};

const Operation numpy_randn{
    .name = "randn",
    .evaluate = [](const Call& call, Operands,
                   Generator& generator) { return attn::numpy::randn(generator, call.shape()); },
    .torch = {"torch.from_numpy(np.float32(np.random.randn({size})))"},
    .numpy = {"np.float32(np.random.randn({size}))"},
    .cpp = {.pattern = "numpy::randn({0}, {{{size}}})", .setup = header::numpy},
    .mathml = randn.mathml,
    .grad_fn = no_grad_fn,
    .explain =
        [](const Call& call, Operands x, const Tensor& result, const Index& cell) {
            Explanation explanation = explain_leaf(call, x, result, cell);
            explanation.reason = {"numpy_randn", {{"seed", {}, std::to_string(call.draws.seed)}}};
            return explanation;
        },
    .cost = cost_of_moving,
};

const Operation numpy_where{
    .name = "where",
    .evaluate =
        [](const Call& call, Operands x, Generator&) {
            return attn::masked_fill(*x[1], attn::equal(*x[0], 0.0F),
                                     static_cast<float>(call.number("value").value));
        },
    .torch = {"torch.where({0}, {1}, {value})"},
    .numpy = {"np.where({0}, {1}, {value})"},
    .cpp = {.pattern = "masked_fill({1}, equal({0}, 0), {value})", .setup = header::elementwise},
    .mathml = {"{1:ij}<mtext> if </mtext><mrow>{0:ij}</mrow><mtext> else </mtext>{value}",
               Binding::comparison},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "WhereBackward0"; },
    .explain =
        [](const Call& call, Operands x, const Tensor& result, const Index& cell) {
            const bool kept = x[0]->at(broadcast_cell(x, 0, result, cell).index) != 0.0F;
            return kept ? Explanation{"{}", {{1, cell}}} : Explanation{"{}", {number_cell(call, "value")}};
        },
    .cost = cost_per_cell,
};

const Operation numpy_exp{
    .name = "exp",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::numpy::exp(*x[0]); },
    .torch = {"torch.exp({0})"},
    .numpy = {"np.exp({0})"},
    .cpp = {.pattern = "numpy::exp({0})", .setup = header::numpy},
    .mathml = exp.mathml,
    .grad_fn = exp.grad_fn,
    .explain = exp.explain,
    .cost = cost_per_cell,
};

const Operation numpy_row_sums{
    .name = "sum",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::numpy::row_sums(*x[0]); },
    .torch = {"{0}.sum(dim=-1, keepdim=True)"},
    .numpy = {"np.sum({0}, axis=-1, keepdims=True)"},
    .cpp = {.pattern = "numpy::row_sums({0})", .setup = header::numpy},
    .mathml = row_sums.mathml,
    .grad_fn = row_sums.grad_fn,
    .explain = row_sums.explain,
    .cost = row_sums.cost,
    .cell_index = "i",
};

}  // namespace attn::rows
