#include "notebook/ops/trigonometric.hpp"

#include "notebook/backward.hpp"
#include "notebook/ops/arithmetic.hpp"
#include "notebook/ops/row.hpp"
#include "tensor/error.hpp"
#include "tensor/trigonometry.hpp"

namespace attn {

const Operation sin_op{
    .name = "sin",
    .evaluate = unary<sin>,
    .gradient = [](const Backward& y) { return y.grad * cos(y.operand(0)); },
    .cells = Elementwise{Operator::sin},
};

Var sin(Var x) {
    return sin_op(x);
}

const Operation cos_op{
    .name = "cos",
    .evaluate = unary<cos>,
    .gradient = [](const Backward& y) { return y.grad * -sin(y.operand(0)); },
    .cells = Elementwise{Operator::cos},
};

Var cos(Var x) {
    return cos_op(x);
}

namespace {

// Returns the cell of the angle by which a pair in the row of `cell` is rotated.
Expr of_angle(const CellOf& x, std::size_t operand, std::size_t pair) {
    const std::size_t row = x[operand].size(0) == 1 ? 0 : x.cell[x[0].rank() - 2];
    return cell_of(operand, Index{row, pair});
}

// The first number of a pair becomes a·cos − b·sin, the second a·sin + b·cos. A pair is a number of the first
// half and its counterpart in the second half, or it is two neighbours.
template <bool of_halves>
Explanation explain_rotation(const CellOf& x) {
    const std::size_t last = x[0].rank() - 1;
    const std::size_t half = x[0].size(-1) / 2;
    const std::size_t pair = of_halves ? x.cell[last] % half : x.cell[last] / 2;
    Index a = x.cell;
    Index b = x.cell;
    a[last] = of_halves ? pair : 2 * pair;
    b[last] = a[last] + (of_halves ? half : 1);
    const Expr cos = of_angle(x, 1, pair);
    const Expr sin = of_angle(x, 2, pair);
    return x.cell == a ? Explanation{tight(cell_of(0, a), cos) - tight(cell_of(0, b), sin)}
                       : Explanation{tight(cell_of(0, a), sin) + tight(cell_of(0, b), cos)};
}

// The row of a rotation, whose Python function has the row's name.
template <Tensor (*kernel)(const Tensor&, const Tensor&, const Tensor&), Var (*rotate)(Var, Var, Var),
          bool of_halves>
Operation rotation(std::string_view name, std::string_view file, const char* grad_fn) {
    return {
        .name = name,
        .evaluate = [](const Arguments& x) { return kernel(x[0], x[1], x[2]); },
        .torch = Syntax(std::string(name) + "({0}, {1}, {2})", Binding::atom, file),
        .formula =
            [](const FormulaOf& x) {
                return applied(subscript(letter("R"), letter(of_halves ? "halves" : "neighbours")),
                               {x.whole(0)});
            },
        .grad_fn = grad_fn,
        .gradient = [](const Backward& y) -> Var {  // rotated back by the same angles
            if (y.to != 0) {
                throw Error("[{}] No gradient is known of the angles.",
                            y.call.operation->name);  // an edited walk
            }
            return rotate(y.grad, y.operand(1), -y.operand(2));
        },
        .cells = Explained{explain_rotation<of_halves>},
    };
}

}  // namespace

const Operation rotate_halves_op =
    rotation<rotate_halves, rotate_halves, true>("rotate_halves", "rotate_halves.py", "CatBackward0");

Var rotate_halves(Var x, Var cos, Var sin) {
    return rotate_halves_op(x, cos, sin);
}

const Operation rotate_neighbours_op = rotation<rotate_neighbours, rotate_neighbours, false>(
    "rotate_neighbours", "rotate_neighbours.py", "ViewBackward0");

Var rotate_neighbours(Var x, Var cos, Var sin) {
    return rotate_neighbours_op(x, cos, sin);
}

}  // namespace attn
