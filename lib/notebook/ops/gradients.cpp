#include "notebook/ops/gradients.hpp"

#include <algorithm>
#include <utility>

#include "notebook/ops/reductions.hpp"
#include "notebook/ops/row.hpp"
#include "notebook/strides.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/reduce.hpp"
#include "tensor/softmax.hpp"

namespace attn {

const Operation ones_like{
    .name = "ones_like",
    .evaluate = [](const Arguments& x) { return ones(x[0].shape()); },
    .cpp = "ones({0}.shape())",
    .formula = [](const FormulaOf&) { return literal(1); },
    .grad_fn = "",
};

// Only the shape of operand 1 is used.
const Operation expand_as{
    .name = "expand_as",
    .evaluate = [](const Arguments& x) { return mul(x[0], ones(x[1].shape())); },
    .torch = "{0}.expand_as({1})",
    .numpy = "np.broadcast_to({0}, {1}.shape)",
    .cpp = "mul({0}, ones({1}.shape()))",
    .formula = [](const FormulaOf& x) { return x.same(0); },
    .cells = Elementwise{[](const Terms& x) { return x(0); }},
    .marks = {.follows = 0},
};

// If columns are adjacent in memory, PyTorch adds the numbers of each column first, and then the batch.
const Operation sum_rows_op{
    .name = "sum",
    .evaluate =
        [](const Arguments& x) {
            if (x.call.has("columns")) {
                return sum(sum(transpose(x[0], -2, -1), -1), 0);
            }
            const std::size_t width = x[0].size(-1);
            return sum(view(x[0], Shape{x[0].count() / width, width}), 0);
        },
    .torch = "{0}.sum(dim={dim?{dim}}{dims?({dims})}{columns?({columns})})",
    .numpy = "{0}.sum(axis={dim?{dim}}{dims?({dims})}{columns?({columns})})",
    .cpp =
        "{dim?sum({0}, 0)}{dims?sum(view({0}, {{{0}.count() / {0}.size(-1), {0}.size(-1)}}), 0)}"
        "{columns?sum(sum(transpose({0}, -2, -1), -1), 0)}",
    .formula = [](const FormulaOf& x) { return sum_over("i", x.cell(0)); },
    .cell_index = "j",
    .cells = Explained{[](const CellOf& x) {
        std::vector<Expr> column;
        for (std::size_t i = x.cell[0]; i < x[0].count(); i += x.result.count()) {
            column.push_back(cell_of(0, x[0].index(i)));
        }
        return Explanation{sum_of(std::move(column))};
    }},
};

namespace {

// (…, m) → (m,): sums over all axes but the last. x.sum(dim=(0, 1))
Var sum_rows(Var x) {
    std::vector<Number> leading;
    for (std::size_t axis = 0; axis + 1 < x.value().rank(); ++axis) {
        leading.push_back(literal(axis));
    }
    const Shape& shape = x.value().shape();
    const bool columns_lie_together = shape.rank() == 3 && shape[2] > 1 &&
                                      strides(*x.notebook, x.id)[1] == 1 &&
                                      !is_row_major(shape, strides(*x.notebook, x.id));
    const std::string_view name = leading.size() == 1 ? "dim" : columns_lie_together ? "columns" : "dims";
    return sum_rows_op({x}, {{name, std::move(leading)}});
}

}  // namespace

Var sum_to(Var x, Var like) {
    if (x.value().shape() == like.value().shape()) {
        return x;
    }
    if (like.value().rank() == 0) {
        return sum(x);
    }
    if (like.value().rank() == 1 && x.value().rank() > 1) {
        return sum_rows(x);
    }
    if (like.value().rank() == x.value().rank() && like.value().size(-1) == 1) {
        return sum(x, -1, true);
    }
    throw Error("[backward] Gradients are added up over leading axes, or over the last one.");
}

const Operation softmax_backward_op{
    .name = "softmax_backward",
    .evaluate = binary<softmax_backward>,
    .torch = "torch._softmax_backward_data({0}, {1}, -1, torch.float32)",
    .numpy = {"softmax_backward({0}, {1})", "softmax_backward.py"},
    .formula =
        [](const FormulaOf& x) {
            const Expr grad = x.cell(0);
            const Expr output = x.cell(1);
            return tuple({grad - sum_over("j", grad * output)}) * output;
        },
    .cells = Explained{[](const CellOf& x) {
        std::vector<Expr> terms;
        for (std::size_t j = 0; j < x.result.size(-1); ++j) {
            Index other = x.cell;
            other[x.result.rank() - 1] = j;
            terms.push_back(tight(cell_of(0, other), cell_of(1, other)));
        }
        return Explanation{(x(0) - earlier_line(0)) * x(1),
                           {{"weighted_gradient", {}, sum_of(std::move(terms))}}};
    }},
};

Var softmax_backward(Var grad, Var output) {
    return softmax_backward_op(grad, output);
}

// Only the shape of operand 1 is used.
const Operation slice_backward_op{
    .name = "slice_backward",
    .evaluate =
        [](const Arguments& x) {
            const std::size_t dim = x.call.size("dim");
            const std::size_t from = x.call.size("from");
            Tensor result(x[1].shape());
            for (std::size_t i = 0; i < result.count(); ++i) {
                Index index = result.index(i);
                if (index[dim] >= from && index[dim] < x.call.size("to")) {
                    index[dim] -= from;
                    result.values()[i] = x[0].values()[x[0].offset(index)];
                }
            }
            return result;
        },
    .torch = "torch.ops.aten.slice_backward({0}, {1}.shape, {dim}, {from}, {to}, 1)",
    .numpy = {"slice_backward({0}, {1}.shape, {dim}, {from}, {to})", "slice_backward.py"},
    .cpp = {"[&] {{\n"
            "    Tensor result({1}.shape());\n"
            "    for (std::size_t i = 0; i < {0}.count(); ++i) {{\n"
            "        Index index = {0}.index(i);\n"
            "        index[{dim}] += {from};\n"
            "        result.values()[result.offset(index)] = {0}.values()[i];\n"
            "    }}\n"
            "    return result;\n"
            "}}()"},
    .formula = "pad",
    .cells = Moves{},
};

Var slice_backward(Var grad, Var like, std::size_t dim, const Number& from, const Number& to) {
    return slice_backward_op({grad, like}, {{"dim", dim}, {"from", from}, {"to", to}});
}

// Only the shape of operand 1 is used.
const Operation select_backward_op{
    .name = "select_backward",
    .evaluate =
        [](const Arguments& x) {
            const Tensor& selected = x[0];
            Tensor result(x[1].shape());
            const std::size_t begin = x.call.size("index") * selected.count();
            if (begin < result.count()) {
                std::ranges::copy(selected.values(), result.values().subspan(begin).begin());
            }
            return result;
        },
    .torch = "torch.ops.aten.select_backward({0}, {1}.shape, 0, {index})",
    .numpy = {"select_backward({0}, {1}.shape, {index})", "select_backward.py"},
    .cpp = {"[&] {{\n"
            "    Tensor result({1}.shape());\n"
            "    std::ranges::copy({0}.values(),\n"
            "                      result.values().subspan({index} * {0}.count()).begin());\n"
            "    return result;\n"
            "}}()",
            "#include <algorithm>"},
    .formula = "pad",
    .cells = Moves{},
};

Var select_backward(Var grad, Var like, const Number& index) {
    return select_backward_op({grad, like}, {{"index", index}});
}

const Operation sum_groups_op{
    .name = "sum_groups",
    .evaluate =
        [](const Arguments& x) { return sum_groups(x[0], x.call.size("count"), x.call.integer("dim")); },
    .torch = "{0}.unflatten({dim}, (-1, {count})).sum({next})",
    .numpy = "np.add.reduceat({0}, np.arange(0, {0}.shape[{dim}], {count}), axis={dim})",
    .cpp = "sum_groups({0}, {count}, {dim})",
    .formula = [](const FormulaOf& x) { return sum_over("group", x.whole(0)); },
    .cells = Explained{[](const CellOf& x) {
        Index index = x.cell;
        index[x.call.size("dim")] *= x.call.size("count");
        std::vector<Expr> group;
        for (std::size_t i = 0; i < x.call.size("count"); ++i) {
            group.push_back(cell_of(0, index));
            ++index[x.call.size("dim")];
        }
        return Explanation{sum_of(std::move(group))};
    }},
};

Var sum_groups(Var x, const Number& count, std::size_t dim) {
    return sum_groups_op({x}, {{"count", count}, {"dim", dim}, {"next", dim + 1}});
}

const Operation diag_op{
    .name = "diag",
    .evaluate = unary<diag>,
    .formula = "diag",
    .cells = Moves{},
};

Var diag(Var x) {
    return diag_op(x);
}

const Operation descend_op{
    .name = "sub",
    .evaluate = [](const Arguments& x) { return sub(x[0], x[1], x.call.value("alpha")); },
    .torch = "torch.sub({0}, {1}, alpha={alpha})",
    .numpy = {"{0} - {alpha} * {1}", Binding::sum},
    .cpp = "sub({0}, {1}, {alpha})",
    .formula = [](const FormulaOf& x) { return x.whole(0) - juxtaposed(x.number("alpha"), x.whole(1)); },
    .cells = Elementwise{[](const Terms& x) { return x(0) - x("alpha") * x(1); }},
};

Var descend(Var x, Var grad, const Number& lr) {
    return descend_op({x, grad}, {{"alpha", lr}});
}

const Operation record_again_op{
    .name = "set_grad_enabled",
    .evaluate = [](const Arguments&) { return Tensor(); },
    .torch = "torch.set_grad_enabled(True)",
    .returns = Returns::grad_mode,
};

void record_again(Notebook& notebook) {
    notebook.line("grad_mode", notebook.record(record_again_op, {}));
    notebook.set_grad_enabled(true);
}

// The gradients are recorded one by one after this call. Before another forward pass in the same session,
// autograd must be turned on again.
const Operation run_backward_op{
    .name = "backward",
    .evaluate = [](const Arguments&) { return Tensor(); },
    .torch = {"for step in ({operands}):\n"
              "    step.retain_grad()\n"
              "{0}.backward()\n"
              "{name} = torch.set_grad_enabled(False)",
              "grad_mode = torch.set_grad_enabled(True)"},
    .returns = Returns::grad_mode,
};

Var run_backward(const std::vector<Var>& retained) {
    return run_backward_op(retained);
}

}  // namespace attn
