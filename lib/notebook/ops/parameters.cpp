#include "notebook/ops/parameters.hpp"

#include "notebook/ops/random.hpp"
#include "notebook/ops/row.hpp"
#include "tensor/matmul.hpp"

namespace attn {

const Operation parameter_op{
    .name = "parameter",
    .evaluate = operand_itself,
    .torch = "torch.nn.Parameter({0}{requires_grad?, requires_grad={requires_grad}})",
    .numpy = "{0}",
    .cpp = "{0}",
    .cells = Elementwise{itself},
    .trained = Trained::parameter,
};

Var parameter(Var x) {
    return parameter_op(x);
}

Var frozen_parameter(Var x) {
    return parameter_op({x}, {{"requires_grad", false}});
}

const Operation requires_grad{
    .name = "requires_grad_",
    .evaluate = operand_itself,
    .torch = "{0}.requires_grad_()",
    .numpy = "{0}",
    .cpp = "{0}",
    .cells = Elementwise{itself},
    .trained = Trained::leaf,
};

namespace {

// Returns the weight or the bias of a layer. Both are stored in one vector: the weight row by row, then the
// bias.
Tensor part(const Tensor& layer, const Shape& shape, std::size_t from) {
    const auto first = layer.values().begin() + std::ptrdiff_t(from);
    return Tensor(shape, std::vector<float>(first, first + std::ptrdiff_t(shape.count())));
}

Explanation explain_linear(const CellOf& x) {
    const Expr bound = number(double(Linear::bound(x.call.size("in"))));
    const Expr u = number(uniform_again(x.call.draws, x.cell[0]));
    return {u * tight(constant(2), bound) - bound,
            {},
            {"linear",
             {fact(x, "in"), fact("bound", bound), fact("number", u), seed_fact(x.call.draws),
              draw_fact(x.call.draws, x.cell[0])}}};
}

// The formula of numbers drawn uniformly from ±1/√d_in.
Expr uniform_formula(const FormulaOf&) {
    const Expr bound = literal(1) / root(subscript(letter("d"), letter("in")));
    return applied(letter("uniform"), {-bound, bound});
}

}  // namespace

// Stores the weight, then the bias. NumPy's legacy generator draws the same numbers as PyTorch's. In double,
// product and sum are exact, so rounding them once to float32 gives the same as a fused multiply-add.
const Operation linear_op{
    .name = "linear",
    .evaluate =
        [](const Arguments& x) {
            const float bound = Linear::bound(x.call.size("in"));
            const std::size_t biases = x.call.integer("bias") != 0 ? 1 : 0;
            return uniform(*x.generator, Shape{x.call.size("out") * (x.call.size("in") + biases)}, -bound,
                           bound);
        },
    .torch = "torch.nn.Linear({in}, {out}, bias={bias})",
    .numpy = {"Linear({0}, {in}, {out}, bias={bias})", "rand.py Linear.py"},
    .cpp = "Linear({0}, {in}, {out}, {bias})",
    .cells = Explained{explain_linear},
    .draws = true,
    .trained = Trained::parameter,
    .returns = Returns::layer,
};

Var linear(Var generator, const Number& in, const Number& out, bool bias) {
    return linear_op({generator}, {{"in", in}, {"out", out}, {"bias", bias}});
}

const Operation weight_op{
    .name = "weight",
    .evaluate = [](const Arguments& x) { return part(x[0], x.call.shape(), 0); },
    .torch = "{0}.weight",
    .cpp = "{0}.weight()",
    .formula = uniform_formula,
    .cells = Moves{},
    .trained = Trained::parameter,
};

Var weight(Var layer) {
    const Call& call = layer.notebook->nodes()[layer.id].call;
    return weight_op({layer}, {{"size", {call.number("out"), call.number("in")}}});
}

const Operation bias_op{
    .name = "bias",
    .evaluate =
        [](const Arguments& x) { return part(x[0], x.call.shape(), x[0].count() - x.call.shape().count()); },
    .torch = "{0}.bias",
    .cpp = "*{0}.bias()",
    .formula = uniform_formula,
    .cells = Moves{},
    .trained = Trained::parameter,
};

Var bias(Var layer) {
    const Call& call = layer.notebook->nodes()[layer.id].call;
    return bias_op({layer}, {{"size", call.number("out")}});
}

}  // namespace attn
