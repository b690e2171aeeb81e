#include "notebook/ops/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "notebook/backward.hpp"
#include "notebook/ops/gradients.hpp"
#include "notebook/ops/row.hpp"
#include "notebook/strides.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "text/lists.hpp"

namespace attn {

namespace {

std::optional<Strides> same_strides(const Arguments&, const Strides& strides, const Shape&) {
    return strides;
}

}  // namespace

// Gives a tensor a second name.
const Operation alias_op{
    .name = "alias",
    .evaluate = operand_itself,
    .torch = "{0}",
    .cpp = "{0}",
    .grad_fn = of_operand,
    .gradient = [](const Backward& y) { return y.grad; },
    .cells = Elementwise{itself},
    .strides = same_strides,
};

namespace {

bool names_axes(const Call& call) {
    return call.has("dim0");
}

// Returns the axes that a call exchanges; for x.T they are rows and columns.
std::pair<std::size_t, std::size_t> exchanged(const Call& call, const Shape& shape) {
    return names_axes(call) ? std::pair(shape.axis(call.integer("dim0")), shape.axis(call.integer("dim1")))
                            : std::pair<std::size_t, std::size_t>(0, 1);
}

// If other axes than the last two are exchanged, whole rows move, and no matrix is transposed.
Expr transposed_formula(const FormulaOf& x) {
    const auto [dim0, dim1] = exchanged(x.call, x.operands[0]->shape());
    if (std::min(dim0, dim1) + 2 == x.operands[0]->rank()) {
        return transposed(x.whole(0));
    }
    return applied(subscript(letter("swap"), named({Leaf::From::whole}, {{fmt::format("{}{}", dim0, dim1)}})),
                   {x.whole(0)});
}

// If a call only exchanged axes, returns its operand.
std::optional<Var> before_transpose(Var x, std::pair<std::size_t, std::size_t> axes) {
    const Node& node = x.notebook->nodes()[x.id];
    if (!node.name.empty() || node.call.operation != &transpose_op) {
        return std::nullopt;
    }
    const auto [dim0, dim1] = exchanged(node.call, node.value.shape());
    return std::minmax(dim0, dim1) == std::minmax(axes.first, axes.second)
               ? std::optional(Var{x.notebook, node.call.inputs[0]})
               : std::nullopt;
}

Var transpose_again(const Backward& y) {
    if (const auto before = before_transpose(y.grad, exchanged(y.call, y.result.value().shape()))) {
        return *before;
    }
    return transpose_op({y.grad}, y.call.attributes);
}

}  // namespace

const Operation transpose_op{
    .name = "transpose",
    .evaluate =
        [](const Arguments& x) {
            const auto [dim0, dim1] = exchanged(x.call, x[0].shape());
            return transpose(x[0], int(dim0), int(dim1));
        },
    .torch = "{0}{dim0?.transpose({dim0}, {dim1})}{dim0!.T}",
    .numpy = "{dim0?np.swapaxes({0}, {dim0}, {dim1})}{dim0!{0}.T}",
    .cpp = "transpose({0}, {dim0?{dim0}, {dim1}}{dim0!0, 1})",
    .formula = transposed_formula,
    .grad_fn = [](const Arguments& x) -> GradFn {
        return names_axes(x.call) ? "TransposeBackward0" : "PermuteBackward0";
    },
    .gradient = transpose_again,
    .cells = Moves{[](const Moved& x) {
        return names_axes(x.call) ? Reason{"axes_swapped", {fact(x, "dim0"), fact(x, "dim1")}}
                                  : Reason{"transposed"};
    }},
    .strides = [](const Arguments& x, const Strides& operand, const Shape&) -> std::optional<Strides> {
        const auto [dim0, dim1] = exchanged(x.call, x[0].shape());
        Strides strides = operand;
        std::swap(strides[dim0], strides[dim1]);
        return strides;
    },
};

Var transpose(Var x) {
    return transpose_op(x);
}

Var transpose(Var x, int dim0, int dim1) {
    return transpose_op({x}, {{"dim0", dim0}, {"dim1", dim1}});
}

Var matrix_transpose(Var x) {
    const std::size_t rank = x.value().rank();
    if (const auto before = before_transpose(x, {rank - 2, rank - 1})) {
        return *before;
    }
    return rank == 2 ? transpose(x) : transpose(x, -2, -1);
}

namespace {

// Returns the strides of a view, after computeStride of aten/src/ATen/TensorUtils.cpp. Axes that are
// contiguous with each other form a run. The new axes must divide the runs; otherwise returns nothing.
std::optional<Strides> viewed(const Shape& shape, const Strides& strides, const Shape& wanted) {
    Strides result{};
    std::fill_n(result.begin(), wanted.rank(), 1);
    std::size_t left = wanted.rank();  // how many new axes have no stride yet
    std::size_t run = 1;               // how many elements the run has so far
    for (std::size_t axis = shape.rank(), step = axis == 0 ? 1 : strides[axis - 1]; axis-- > 0;) {
        run *= shape[axis];
        if (axis > 0 && (shape[axis - 1] == 1 || strides[axis - 1] == run * step)) {
            continue;
        }
        std::size_t covered = 1;
        while (left > 0 && (covered < run || wanted[left - 1] == 1)) {
            result[--left] = covered * step;
            covered *= wanted[left];
        }
        if (covered != run) {
            return std::nullopt;
        }
        run = 1;
        step = axis > 0 ? strides[axis - 1] : 1;
    }
    return result;
}

// The numbers are copied if a view is not possible.
std::optional<Strides> viewed_or_copied(const Arguments& x, const Strides& strides, const Shape& result) {
    return viewed(x[0].shape(), strides, result);
}

}  // namespace

const Operation view_op{
    .name = "view",
    .evaluate = [](const Arguments& x) { return view(x[0], x.call.shape()); },
    .torch = "{0}.view({size})",
    .numpy = "{0}.reshape({size})",
    .cpp = "view({0}, {{{size}}})",
    .formula = "view",
    .gradient = [](const Backward& y) { return reshape_as(y.grad, y.operand(0)); },
    .cells = Moves{[](const Moved& x) {
        return Reason{"viewed",
                      {fact("place", x.result.offset(x.cell)), fact("count", x.result.count()),
                       fact("from", x[0].shape().text()), fact("to", x.result.shape().text())}};
    }},
    .strides =
        [](const Arguments& x, const Strides& strides, const Shape& result) {
            const std::optional<Strides> found = viewed(x[0].shape(), strides, result);
            if (!found) {
                throw Error(
                    "[view] Expected a size that strides ({}) of {} allow but received {}; "
                    "contiguous() would make room for it.",
                    joined(std::span(strides).first(x[0].rank())), x[0].shape().text(), result.text());
            }
            return found;
        },
};

Var view(Var x, std::vector<Number> size) {
    const Var result = view_op({x}, {{"size", std::move(size)}});
    strides(*result.notebook, result.id);  // throws Error where PyTorch raises an error
    return result;
}

// Only the shape of operand 1 is used.
const Operation reshape_as_op{
    .name = "reshape_as",
    .evaluate = [](const Arguments& x) { return view(x[0], x[1].shape()); },
    .torch = "{0}.reshape_as({1})",
    .numpy = "{0}.reshape({1}.shape)",
    .cpp = "view({0}, {1}.shape())",
    .formula = "view",
    .cells = Moves{},
    .strides = viewed_or_copied,
};

const Operation reshape_op{
    .name = "reshape",
    .evaluate = [](const Arguments& x) { return view(x[0], x.call.shape()); },
    .torch = "{0}.reshape({size})",
    .cpp = "view({0}, {{{size}}})",
    .formula = "view",
    .cells = Moves{},
    .strides = viewed_or_copied,
};

Var reshape_as(Var x, Var like) {
    if (!like.notebook->nodes()[like.id].name.empty()) {
        return reshape_as_op(x, like);
    }
    // If `like` had no name, its expression would be written and computed twice.
    return reshape_op({x}, {{"size", literals(like.value().shape())}});
}

const Operation flatten_rows{
    .name = "flatten",
    .evaluate =
        [](const Arguments& x) {
            return view(x[0], Shape{x[0].count() / x[0].size(-1), x[0].size(-1)});
        },
    .torch = "{0}.flatten(0, -2)",
    .numpy = "{0}.reshape(-1, {0}.shape[-1])",
    .cpp = "view({0}, {{{0}.count() / {0}.size(-1), {0}.size(-1)}})",
    .formula = "view",
    .cells = Moves{},
    .strides = viewed_or_copied,
};

// Our tensors are always row-major, so nothing is copied here. PyTorch copies a transposed tensor, unless it
// is contiguous.
const Operation contiguous_op{
    .name = "contiguous",
    .evaluate = operand_itself,
    .torch = "{0}.contiguous()",
    .numpy = "np.ascontiguousarray({0})",
    .cpp = "{0}",
    .grad_fn = [](const Arguments& x) -> GradFn {
        return x.call.integer("copies") == 0 ? of_operand : GradFn("CloneBackward0");
    },
    .gradient = [](const Backward& y) { return y.grad; },
    .cells = Elementwise{itself},
    .strides =
        [](const Arguments& x, const Strides& strides, const Shape&) {
            return x.call.integer("copies") == 0 ? std::optional(strides) : std::nullopt;
        },
};

Var contiguous(Var x) {
    const bool copies = !is_row_major(x.value().shape(), strides(*x.notebook, x.id));
    return contiguous_op({x}, {{"copies", copies}});
}

const Operation select_op{
    .name = "select",
    .evaluate = [](const Arguments& x) { return select(x[0], x.call.sizes("index")); },
    .torch = "{0}[{index}]",
    .cpp = "select({0}, {{{index}}})",
    .formula = [](const FormulaOf& x) { return item(x.whole(0), x.numbers("index")); },
    .gradient =
        [](const Backward& y) {
            const std::vector<Number>& index = y.call.numbers("index");
            Var grad = y.grad;
            for (std::size_t i = index.size(); i-- > 0;) {  // goes from the innermost axis outwards
                const Var whole =
                    i == 0 ? y.operand(0)
                           : select(y.operand(0), {index.begin(), index.begin() + std::ptrdiff_t(i)});
                grad = select_backward(grad, whole, index[i]);
            }
            return grad;
        },
    .cells = Moves{[](const Moved&) { return Reason{"selected"}; }},
    .strides = [](const Arguments& x, const Strides& operand, const Shape& result) -> std::optional<Strides> {
        Strides strides{};
        std::copy_n(operand.begin() + x[0].rank() - result.rank(), result.rank(), strides.begin());
        return strides;
    },
};

Var select(Var x, std::vector<Number> index) {
    return select_op({x}, {{"index", std::move(index)}});
}

namespace {

// Returns the first index of a slice; a negative index counts from the end.
std::size_t first_place(const Call& call, const Tensor& x) {
    const int from = call.integer("from");
    return from < 0 ? x.size(call.integer("dim")) - std::size_t(-from) : std::size_t(from);
}

}  // namespace

const Operation slice_op{
    .name = "slice",
    .evaluate =
        [](const Arguments& x) {
            if (x.call.has("columns")) {
                return slice(slice(x[0], 0, 0, x.call.size("rows")), 1, 0, x.call.size("columns"));
            }
            const int dim = x.call.integer("dim");
            return slice(x[0], dim, first_place(x.call, x[0]),
                         x.call.has("to") ? x.call.size("to") : x[0].size(dim));
        },
    .torch = "{0}[{rows?:{rows}, :{columns}}{last?..., }{from?{from}:}{to?{to}}]",
    .cpp = "slice({rows?slice({0}, 0, 0, {rows}), 1, 0, {columns}}{from?{0}, {dim}, {from}}{to?, {to}})",
    .formula =
        [](const FormulaOf& x) {
            if (x.call.has("columns")) {
                return x.cell(0);
            }
            const Expr cut = range(x.number("from"), x.call.has("to") ? x.number("to") : words(""));
            return x.call.has("last") ? applied(x.whole(0), {cut}) : subscript(x.whole(0), cut);
        },
    .gradient =
        [](const Backward& y) {
            const Number zero = literal(0);
            if (!y.call.has("columns")) {
                const int dim = y.call.integer("dim");
                const std::size_t from = first_place(y.call, y.operand(0).value());
                const Number to = literal(from + y.result.value().size(dim));
                return slice_backward(y.grad, y.operand(0), y.result.value().shape().axis(dim), literal(from),
                                      to);
            }
            const Var rows = slice(y.operand(0), zero, y.call.number("rows"));
            return slice_backward(slice_backward(y.grad, rows, 1, zero, y.call.number("columns")),
                                  y.operand(0), 0, zero, y.call.number("rows"));
        },
    .cells = Moves{[](const Moved& x) {
        const bool is_of_columns = x.call.has("columns") || x.call.has("last");
        return is_of_columns ? Reason{} : Reason{"sliced", {fact("from", first_place(x.call, x[0]))}};
    }},
    .strides = same_strides,
};

Var slice(Var x, const Number& from, const Number& to) {
    return slice_op({x}, {{"dim", 0}, {"from", from}, {"to", to}});
}

Var slice(Var x, const Number& from) {
    return slice_op({x}, {{"dim", 0}, {"from", from}});
}

Var columns(Var x, const Number& from, const Number& to) {
    return slice_op({x}, {{"dim", -1}, {"last", true}, {"from", from}, {"to", to}});
}

Var slice(Var x, const std::array<Number, 2>& to) {
    return slice_op({x}, {{"rows", to[0]}, {"columns", to[1]}});
}

const Operation stack_op{
    .name = "stack",
    .evaluate = [](const Arguments& x) { return stack(x.copies()); },
    .torch = "torch.stack(({operands}), dim=0)",
    .numpy = "np.stack(({operands}), axis=0)",
    .cpp = "stack({{{operands}}})",
    .formula = [](const FormulaOf& x) { return tuple(x.all()); },
    .gradient = [](const Backward& y) { return select(y.grad, {literal(y.to)}); },
    .cells = Moves{[](const Moved& x) {
        return Reason{"stacked", {fact("part", x.from->operand)}};
    }},
};

Var stack(const std::vector<Var>& parts) {
    return stack_op(parts);
}

namespace {

// Returns the part of the gradient that belongs to one operand.
Var part_of_joined(const Backward& y) {
    const std::size_t rank = y.result.value().rank();
    const std::size_t axis = y.result.value().shape().axis(y.call.integer("dim"));
    std::size_t from = 0;
    for (std::size_t i = 0; i < y.to; ++i) {
        from += y.operand(i).value().shape()[axis];
    }
    const Number start = literal(from);
    const Number end = literal(from + y.operand(y.to).value().shape()[axis]);
    if (axis == 0) {
        return slice(y.grad, start, end);
    }
    if (axis + 1 != rank) {
        throw Error("[cat] Expected the first axis or the last one.");
    }
    return columns(y.grad, start, end);
}

}  // namespace

const Operation cat_op{
    .name = "cat",
    .evaluate = [](const Arguments& x) { return cat(x.copies(), x.call.integer("dim")); },
    .torch = "torch.cat(({operands}), dim={dim})",
    .numpy = "np.concatenate(({operands}), axis={dim})",
    .cpp = "cat({{{operands}}}, {dim})",
    .formula = [](const FormulaOf& x) { return list(x.all()); },
    .gradient = part_of_joined,
    .cells = Moves{[](const Moved& x) {
        return Reason{"joined", {fact("part", x.from->operand)}};
    }},
};

Var cat(const std::vector<Var>& parts, int dim) {
    return cat_op(parts, {{"dim", dim}});
}

const Operation repeat_interleave_op{
    .name = "repeat_interleave",
    .evaluate =
        [](const Arguments& x) {
            return repeat_interleave(x[0], x.call.size("repeats"), x.call.integer("dim"));
        },
    .torch = "{0}.repeat_interleave({repeats}, dim={dim})",
    .numpy = "np.repeat({0}, {repeats}, axis={dim})",
    .cpp = "repeat_interleave({0}, {repeats}, {dim})",
    .formula =
        [](const FormulaOf& x) {
            return applied(letter("repeat_interleave"), {x.whole(0), x.number("repeats")});
        },
    .grad_fn = "ViewBackward0",
    .gradient =
        [](const Backward& y) {
            const Number& repeats = y.call.number("repeats");
            const std::size_t dim = y.result.value().shape().axis(y.call.integer("dim"));
            return repeats.value() == 1 ? y.grad : sum_groups(y.grad, repeats, dim);
        },
    .cells = Moves{[](const Moved& x) {
        return Reason{"repeated_in_a_row", {fact(x, "repeats")}};
    }},
};

Var repeat_interleave(Var x, const Number& repeats, int dim) {
    return repeat_interleave_op({x}, {{"repeats", repeats}, {"dim", dim}});
}

const Operation repeat_op{
    .name = "repeat",
    .evaluate = [](const Arguments& x) { return repeat(x[0], x.call.sizes("repeats")); },
    .torch = "{0}.repeat({repeats})",
    .numpy = "np.tile({0}, ({repeats}))",
    .cpp = "repeat({0}, {{{repeats}}})",
    .formula = "repeat",
    .cells = Moves{[](const Moved&) { return Reason{"repeated_as_a_whole"}; }},
};

Var repeat(Var x, std::vector<Number> repeats) {
    return repeat_op({x}, {{"repeats", std::move(repeats)}});
}

const Operation with_last_row{
    .name = "with_last_row",
    .evaluate =
        [](const Arguments& x) {
            Tensor result = x[0];
            if (result.count() < x[1].count()) {  // inputs without a row, which a diagnosis tries
                throw Error("[copy] The result has fewer numbers than its last row.");
            }
            std::ranges::copy(x[1].values(), result.values().last(x[1].count()).begin());
            return result;
        },
    .torch = "{name} = {0}.clone()\n{name}[-1:] = {1}",
    .numpy = "{name} = {0}.copy()\n{name}[-1:] = {1}",
    .cpp = {"auto {name} = {0};\n"
            "std::ranges::copy({1}.values(), {name}.values().last({1}.count()).begin());",
            "#include <algorithm>"},
    .grad_fn = "CopySlices",
    .cells = Moves{[](const Moved& x) { return Reason{x.from->operand == 1 ? "last_row" : "other_row"}; }},
};

}  // namespace attn
