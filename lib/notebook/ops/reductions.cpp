#include "notebook/ops/reductions.hpp"

#include <stdexcept>
#include <utility>

#include "notebook/backward.hpp"
#include "notebook/ops/arithmetic.hpp"
#include "notebook/ops/gradients.hpp"
#include "notebook/ops/layout.hpp"
#include "notebook/ops/row.hpp"
#include "tensor/error.hpp"
#include "tensor/reduce.hpp"
#include "tensor/softmax.hpp"

namespace attn {

namespace {

Explanation explain_softmax(const CellOf& x) {
    const std::size_t axis = x[0].shape().axis(x.call.integer("dim"));
    const std::size_t length = x[0].shape()[axis];
    std::vector<Expr> row;
    for (std::size_t i = 0; i < length; ++i) {
        row.push_back(x(0));
        row.back().leaf.index[axis] = i;
    }
    std::vector<Part> parts{{"largest", {}, maximum_of(row)}};
    std::vector<Expr> exponentials;
    for (const Expr& number : row) {
        exponentials.push_back(earlier_line(parts.size()));
        parts.push_back({"exp", number.leaf.index, exp(number - earlier_line(0))});
    }
    const Expr exponential = exponentials[x.cell[axis]];
    parts.push_back({"sum", {}, sum_of(std::move(exponentials))});
    return {exponential / earlier_line(parts.size() - 1), std::move(parts)};
}

// Reduces one axis, or all numbers to a single one.
template <Tensor (*all)(const Tensor&), Tensor (*along)(const Tensor&, int, bool)>
Tensor reduced(const Arguments& x) {
    return x.call.has("dim") ? along(x[0], x.call.integer("dim"), x.call.has("keepdim")) : all(x[0]);
}

std::string_view reduced_index(const Arguments& x) {
    return x.call.has("dim") ? "i" : "ij";
}

// Returns the cells of operand 0 that a cell of the result was computed from.
std::vector<Expr> reduced_cells(const CellOf& x) {
    return x.call.has("dim") ? row_cells(x) : all_cells(x);
}

// Expands the gradient of a reduction to the shape of its operand.
Var spread(const Backward& y) {
    const Var x = y.operand(0);
    const bool has_lost_axis = y.call.has("dim") && !y.call.has("keepdim");
    if (!has_lost_axis) {
        return expand_as(y.grad, x);
    }
    std::vector<Number> size = literals(y.grad.value().shape());
    size.push_back(literal(1));
    return expand_as(view(y.grad, size), x);
}

Var record_reduced(const Operation& operation, Var x, int dim, bool keepdim) {
    const Shape& shape = x.value().shape();
    if (shape.axis(dim) + 1 != shape.rank()) {
        throw std::logic_error("rows are reduced along the last axis alone");
    }
    std::vector<Attribute> attributes{{"dim", dim}};
    if (keepdim) {
        attributes.push_back({"keepdim", true});
    }
    return operation({x}, std::move(attributes));
}

}  // namespace

const Operation softmax_op{
    .name = "softmax",
    .evaluate = [](const Arguments& x) { return softmax(x[0], x.call.integer("dim")); },
    .torch = "torch.softmax({0}, dim={dim})",
    .numpy = {"softmax({0}, axis={dim})", "softmax.py"},
    .cpp = "softmax({0}, {dim})",
    .formula = "softmax",
    .gradient =
        [](const Backward& y) {
            if (y.result.value().shape().axis(y.call.integer("dim")) + 1 != y.result.value().rank()) {
                throw Error("[backward] The gradient of softmax is known only along the last axis.");
            }
            return softmax_backward(y.grad, y.result);
        },
    .cells = Explained{explain_softmax},
    .marks = {.follows = 0},
};

Var softmax(Var x, int dim) {
    return softmax_op({x}, {{"dim", dim}});
}

const Operation sum_op{
    .name = "sum",
    .evaluate = reduced<sum, sum>,
    .torch = "{0}.sum({dim?dim={dim}}{keepdim?, keepdim={keepdim}})",
    .numpy = "{0}.sum({dim?axis={dim}}{keepdim?, keepdims={keepdim}})",
    .cpp = "sum({0}{dim?, {dim}}{keepdim?, {keepdim}})",
    .formula =
        [](const FormulaOf& x) { return x.call.has("dim") ? sum_over("j", x.cell(0)) : total(x.whole(0)); },
    .cell_index = reduced_index,
    .grad_fn = [](const Arguments& x) -> GradFn {
        return x.call.has("dim") ? "SumBackward1" : "SumBackward0";
    },
    .gradient = spread,
    .cells = Explained{[](const CellOf& x) { return Explanation{sum_of(reduced_cells(x))}; }},
};

Var sum(Var x) {
    return sum_op(x);
}

Var sum(Var x, int dim, bool keepdim) {
    return record_reduced(sum_op, x, dim, keepdim);
}

const Operation mean_op{
    .name = "mean",
    .evaluate =
        [](const Arguments& x) { return x.call.has("dim") ? mean(x[0], x.call.integer("dim")) : mean(x[0]); },
    .torch = "{0}.mean({dim?dim={dim}})",
    .numpy = "{0}.mean({dim?axis={dim}})",
    .cpp = "mean({0}{dim?, {dim}})",
    .formula = "mean",
    .cell_index = [](const Arguments& x) -> std::string_view { return x.call.has("dim") ? "i" : ""; },
    .grad_fn = [](const Arguments& x) -> GradFn {
        return x.call.has("dim") ? "MeanBackward1" : "MeanBackward0";
    },
    .gradient =
        [](const Backward& y) {
            return spread(y) / literal(y.operand(0).value().count() / y.result.value().count());
        },
    .cells = Explained{[](const CellOf& x) {
        std::vector<Expr> terms = reduced_cells(x);
        const Expr length = number(double(terms.size()));
        return Explanation{earlier_line(0) / length, {{"sum", {}, sum_of(std::move(terms))}}};
    }},
};

Var mean(Var x) {
    return mean_op(x);
}

Var mean(Var x, int dim) {
    return record_reduced(mean_op, x, dim, false);
}

const Operation amax_op{
    .name = "amax",
    .evaluate = reduced<amax, amax>,
    .torch = "{0}.amax({dim?dim={dim}}{keepdim?, keepdim={keepdim}})",
    .numpy = "{keepdim?np.max({0}, axis={dim}, keepdims={keepdim})}{keepdim!{0}.max({dim?axis={dim}})}",
    .cpp = "amax({0}{dim?, {dim}}{keepdim?, {keepdim}})",
    .formula =
        [](const FormulaOf& x) {
            return x.call.has("dim") ? max_over("j", x.cell(0)) : applied(letter("max"), {x.whole(0)});
        },
    .cell_index = reduced_index,
    .cells = Explained{[](const CellOf& x) { return Explanation{maximum_of(reduced_cells(x))}; }},
};

Var amax(Var x) {
    return amax_op(x);
}

Var amax(Var x, int dim, bool keepdim) {
    return record_reduced(amax_op, x, dim, keepdim);
}

}  // namespace attn
