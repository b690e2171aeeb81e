#include "notebook/ops/numpy.hpp"

#include <utility>

#include "notebook/ops/random.hpp"
#include "notebook/ops/row.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/numpy.hpp"

namespace attn::numpy {

const Operation seed_op{
    .name = "seed",
    .evaluate =
        [](const Arguments& x) {
            *x.generator = Generator(x.call.number("seed").leaf.whole);
            return Tensor();
        },
    .torch = {"np.random.seed({seed})", Binding::statement, "import numpy as np"},
    .numpy = {"np.random.seed({seed})", Binding::statement},
    .cpp = "Generator({seed}U)",
    .returns = Returns::random_state,
};

Var seed(Notebook& notebook, std::uint64_t seed) {
    // NumPy rejects seeds of more than 32 bits; Generator uses only the lower 32.
    return notebook.record(seed_op, {}, {{"seed", seed_number(seed, {true, true, false})}});
}

const Operation randn_op{
    .name = "randn",
    .evaluate = [](const Arguments& x) { return numpy::randn(*x.generator, x.call.shape()); },
    .torch = "torch.from_numpy(np.float32(np.random.randn({size})))",
    .numpy = "np.float32(np.random.randn({size}))",
    .cpp = "numpy::randn({0}, {{{size}}})",
    .formula = standard_normal,
    .cells = Explained{[](const CellOf& x) {
        return given_number(x, {"numpy_randn", {seed_fact(x.call.draws)}});
    }},
    .draws = true,
};

Var randn(Var generator, std::vector<Number> size) {
    return randn_op({generator}, {{"size", std::move(size)}});
}

const Operation exp_op{
    .name = "exp",
    .evaluate = unary<exp>,
    .cpp = "numpy::exp({0})",
    .cells = Elementwise{Operator::exp},
};

Var exp(Var x) {
    return exp_op(x);
}

const Operation sum_op{
    .name = "sum",
    .evaluate = [](const Arguments& x) { return numpy::sum(x[0], -1, true); },
    .torch = "{0}.sum(dim=-1, keepdim=True)",
    .numpy = "np.sum({0}, axis=-1, keepdims=True)",
    .cpp = "numpy::sum({0}, -1, true)",
    .formula = [](const FormulaOf& x) { return sum_over("j", x.cell(0)); },
    .cell_index = "i",
    .grad_fn = "SumBackward1",
    .cells = Explained{[](const CellOf& x) { return Explanation{sum_of(row_cells(x))}; }},
};

Var sum(Var x) {
    return sum_op(x);
}

const Operation where_op{
    .name = "where",
    .evaluate =
        [](const Arguments& x) { return masked_fill(x[1], eq(x[0], 0.0F), float(x.call.value("value"))); },
    .torch = "torch.where({0}, {1}, {value})",
    .numpy = "np.where({0}, {1}, {value})",
    .cpp = "masked_fill({1}, eq({0}, 0), {value})",
    .formula = [](const FormulaOf& x) { return cases(x.cell(1), x.cell(0), x.number("value")); },
    .cells = Explained{[](const CellOf& x) { return Explanation{x.value(0) != 0.0F ? x(1) : x("value")}; }},
    .marks = {.follows = 1,
              .hides = [](const CellOf& x,
                          CellKind) { return x.value(0) == 0.0F ? CellKind::masked : CellKind::number; }},
};

Var where(Var condition, Var x, const Number& otherwise) {
    return where_op({condition, x}, {{"value", otherwise}});
}

}  // namespace attn::numpy
