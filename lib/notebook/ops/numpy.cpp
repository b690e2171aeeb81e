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
        [](const Call& call, Operands, Generator& generator) {
            generator = Generator(call.number("seed").leaf.of);
            return Tensor();
        },
    .torch = {"np.random.seed({seed})", Binding::statement, "import numpy as np"},
    .numpy = {"np.random.seed({seed})", Binding::statement},
    .cpp = "Generator({seed}U)",
    .explain = explain_leaf,
    .returns = Returns::random_state,
};

Var seed(Notebook& notebook, std::uint64_t seed) {
    Number number = literal(seed);
    if (seed >> 32 != 0) {  // NumPy rejects seeds beyond 32 bits; Generator uses only 32
        const std::string digits = std::to_string(seed);
        number = named(number.leaf, {{digits + " % 2**32", digits + " % 2**32", digits}});
    }
    return notebook.record(seed_op, {}, {{"seed", {number}}});
}

const Operation randn_op{
    .name = "randn",
    .evaluate = [](const Call& call, Operands,
                   Generator& generator) { return numpy::randn(generator, call.shape()); },
    .torch = "torch.from_numpy(np.float32(np.random.randn({size})))",
    .numpy = "np.float32(np.random.randn({size}))",
    .cpp = "numpy::randn({0}, {{{size}}})",
    .formula = standard_normal,
    .explain =
        [](const Call& call, Operands x, const Tensor& result, const Index& cell) {
            Explanation explanation = explain_leaf(call, x, result, cell);
            explanation.reason = {"numpy_randn", {seed_fact(call.draws)}};
            return explanation;
        },
    .draws = true,
};

Var randn(Var generator, std::vector<Number> size) {
    return record(randn_op, {generator}, {{"size", std::move(size)}});
}

const Operation exp_op{
    .name = "exp",
    .evaluate = unary<exp>,
    .torch = "torch.exp({0})",
    .numpy = "np.exp({0})",
    .cpp = "numpy::exp({0})",
    .grad_fn = "ExpBackward0",
    .function = Operator::exp,
    .follows = 0,
    .sign = Sign::never_negative,
};

Var exp(Var x) {
    return record(exp_op, {x});
}

const Operation sum_op{
    .name = "sum",
    .evaluate = [](const Call&, Operands x, Generator&) { return numpy::sum(*x[0], -1, true); },
    .torch = "{0}.sum(dim=-1, keepdim=True)",
    .numpy = "np.sum({0}, axis=-1, keepdims=True)",
    .cpp = "numpy::sum({0}, -1, true)",
    .formula = [](FormulaOf& x) { return sum_over("j", x.cell(0)); },
    .cell_index = "i",
    .grad_fn = "SumBackward1",
    .explain = [](const Call&, Operands x, const Tensor&,
                  const Index& cell) { return Explanation{sum_of(row_cells(x, cell))}; },
    .sign = Sign::of_operands,
};

Var sum(Var x) {
    return record(sum_op, {x});
}

const Operation where_op{
    .name = "where",
    .evaluate =
        [](const Call& call, Operands x, Generator&) {
            return masked_fill(*x[1], eq(*x[0], 0.0F), static_cast<float>(call.value("value")));
        },
    .torch = "torch.where({0}, {1}, {value})",
    .numpy = "np.where({0}, {1}, {value})",
    .cpp = "masked_fill({1}, eq({0}, 0), {value})",
    .formula = [](FormulaOf& x) { return cases(x.cell(1), x.cell(0), x.number("value")); },
    .grad_fn = "WhereBackward0",
    .explain =
        [](const Call& call, Operands x, const Tensor& result, const Index& cell) {
            const bool kept = broadcast_value(x, 0, result, cell) != 0.0F;
            return kept ? moved(1, cell) : Explanation{number_of(call, "value")};
        },
    .follows = 1,
    .sign = Sign::of_followed,
    .hides =
        [](Operands x, const Tensor& result, const Index& cell, CellKind) {
            return broadcast_value(x, 0, result, cell) == 0.0F ? CellKind::masked : CellKind::number;
        },
};

Var where(Var condition, Var x, const Number& otherwise) {
    return record(where_op, {condition, x}, {{"value", {otherwise}}});
}

}  // namespace attn::numpy
