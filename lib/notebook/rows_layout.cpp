// Rows of the operations that compute nothing: the same numbers in another shape, another order, or fewer of
// them.
#include <algorithm>
#include <vector>

#include "notebook/rows.hpp"
#include "tensor/layout.hpp"

namespace attn::rows {

namespace {

std::vector<std::size_t> indices(const Call& call) {
    std::vector<std::size_t> result;
    for (const Number& number : call.numbers("index")) {
        result.push_back(static_cast<std::size_t>(number.value));
    }
    return result;
}

}  // namespace

// A second name for the same tensor.
const Operation alias{
    .name = "alias",
    .evaluate = [](const Call&, Operands x, Generator&) { return *x[0]; },
    .torch = {"{0}"},
    .numpy = {"{0}"},
    .cpp = {"{0}"},
    .mathml = {"{0}"},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return same_grad_fn; },
    .explain = explain_same_cell,
    .cost = no_cost,
};

const Operation matrix_transpose{
    .name = "transpose",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::transpose(*x[0], 0, 1); },
    .torch = {"{0}.T"},
    .numpy = {"{0}.T"},
    .cpp = {.pattern = "transpose({0}, 0, 1)", .setup = header::layout},
    .mathml = {"<msup>{0}<mi>T</mi></msup>"},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "PermuteBackward0"; },
    .explain =
        [](const Call&, Operands, const Tensor&, const Index& cell) {
            return moved({0, Index{cell[1], cell[0]}}, {"transposed"});
        },
    .cost = no_cost,
};

const Operation transpose{
    .name = "transpose",
    .evaluate = [](const Call& call, Operands x,
                   Generator&) { return attn::transpose(*x[0], call.integer("dim0"), call.integer("dim1")); },
    .torch = {"{0}.transpose({dim0}, {dim1})"},
    .numpy = {"np.swapaxes({0}, {dim0}, {dim1})"},
    .cpp = {.pattern = "transpose({0}, {dim0}, {dim1})", .setup = header::layout},
    .mathml = {"<msup>{0}<mi>T</mi></msup>"},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "TransposeBackward0"; },
    .explain =
        [](const Call& call, Operands x, const Tensor&, const Index& cell) {
            Index index = cell;
            std::swap(index[x[0]->shape().axis(call.integer("dim0"))],
                      index[x[0]->shape().axis(call.integer("dim1"))]);
            const Fact dim0{"dim0", number_cell(call, "dim0"), ""};
            const Fact dim1{"dim1", number_cell(call, "dim1"), ""};
            return moved({0, index}, {"axes_swapped", {dim0, dim1}});
        },
    .cost = no_cost,
};

// Axes other than the last two: no matrix is transposed, whole rows change places.
const Operation swap_axes{
    .name = "transpose",
    .evaluate = transpose.evaluate,
    .torch = transpose.torch,
    .numpy = transpose.numpy,
    .cpp = transpose.cpp,
    .mathml = {"<mrow><msub><mi>swap</mi><mrow>{dim0}{dim1}</mrow></msub><mo>(</mo>{0}<mo>)</mo></mrow>"},
    .grad_fn = transpose.grad_fn,
    .explain = transpose.explain,
    .cost = no_cost,
};

const Operation view{
    .name = "view",
    .evaluate = [](const Call& call, Operands x, Generator&) { return attn::view(*x[0], call.shape()); },
    .torch = {"{0}.view({size})"},
    .numpy = {"{0}.reshape({size})"},
    .cpp = {.pattern = "view({0}, {{{size}}})", .setup = header::layout},
    .mathml = {"<mrow><mi>view</mi><mo>(</mo>{0}<mo>)</mo></mrow>"},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "ViewBackward0"; },
    .explain =
        [](const Call&, Operands x, const Tensor& result, const Index& cell) {
            const std::size_t place = result.offset(cell);
            return moved({0, x[0]->index(place)}, {"viewed",
                                                   {{"place", {}, std::to_string(place)},
                                                    {"count", {}, std::to_string(result.count())},
                                                    {"from", {}, x[0]->shape().text()},
                                                    {"to", {}, result.shape().text()}}});
        },
    .cost = no_cost,
};

// Our tensors always lie in row-major order; in PyTorch this is where a transposed one is written out anew,
// unless it was in order all the same.
const Operation contiguous{
    .name = "contiguous",
    .evaluate = [](const Call&, Operands x, Generator&) { return *x[0]; },
    .torch = {"{0}.contiguous()"},
    .numpy = {"np.ascontiguousarray({0})"},
    .cpp = {"{0}"},
    .mathml = {"{0:same}"},
    .grad_fn = [](const Call& call, Operands) -> std::string_view {
        return call.integer("copies") == 0 ? same_grad_fn : "CloneBackward0";
    },
    .explain = explain_same_cell,
    .cost = cost_of_moving,
};

const Operation select{
    .name = "select",
    .evaluate = [](const Call& call, Operands x, Generator&) { return attn::select(*x[0], indices(call)); },
    .torch = {"{0}[{index}]"},
    .numpy = {"{0}[{index}]"},
    .cpp = {.pattern = "select({0}, {{{index}}})", .setup = header::layout},
    .mathml = {"<mrow>{0}<mo>[</mo>{index}<mo>]</mo></mrow>"},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "SelectBackward0"; },
    .explain =
        [](const Call& call, Operands, const Tensor& result, const Index& cell) {
            const std::vector<std::size_t> leading = indices(call);
            Index index{};
            std::copy(leading.begin(), leading.end(), index.begin());
            std::copy_n(cell.begin(), result.rank(),
                        index.begin() + static_cast<std::ptrdiff_t>(leading.size()));
            return moved({0, index}, {"selected"});
        },
    .cost = no_cost,
};

const Operation corner{
    .name = "slice",
    .evaluate =
        [](const Call& call, Operands x, Generator&) {
            const Shape size = call.shape();
            return attn::corner(*x[0], size[0], size[1]);
        },
    .torch = {"{0}[:{rows}, :{columns}]"},
    .numpy = {"{0}[:{rows}, :{columns}]"},
    .cpp = {.pattern = "corner({0}, {rows}, {columns})", .setup = header::layout},
    .mathml = {"{0:same}"},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "SliceBackward0"; },
    .explain = explain_same_cell,
    .cost = no_cost,
};

const Operation slice{
    .name = "slice",
    .evaluate = [](const Call& call, Operands x,
                   Generator&) { return attn::slice(*x[0], call.size("from"), call.size("to")); },
    .torch = {"{0}[{from}:{to}]"},
    .numpy = {"{0}[{from}:{to}]"},
    .cpp = {.pattern = "slice({0}, {from}, {to})", .setup = header::layout},
    .mathml = {"<msub>{0}<mrow>{from}<mo>:</mo>{to}</mrow></msub>"},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "SliceBackward0"; },
    .explain =
        [](const Call& call, Operands, const Tensor&, const Index& cell) {
            Index index = cell;
            index[0] += call.size("from");
            return moved({0, index}, {"sliced", {{"from", number_cell(call, "from"), ""}}});
        },
    .cost = no_cost,
};

const Operation stack{
    .name = "stack",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::stack(x); },
    .torch = {"torch.stack(({operands}), dim=0)"},
    .numpy = {"np.stack(({operands}), axis=0)"},
    .cpp = {.pattern = "stack({{{operands}}})", .setup = header::layout},
    .mathml = {"<mrow><mo>(</mo>{operands}<mo>)</mo></mrow>"},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "StackBackward0"; },
    .explain =
        [](const Call&, Operands x, const Tensor&, const Index& cell) {
            Index index{};
            std::copy_n(cell.begin() + 1, x[0]->rank(), index.begin());
            return moved({cell[0], index}, {"stacked", {{"part", {}, std::to_string(cell[0])}}});
        },
    .cost = cost_of_moving,
};

const Operation cat{
    .name = "cat",
    .evaluate = [](const Call& call, Operands x, Generator&) { return attn::cat(x, call.integer("dim")); },
    .torch = {"torch.cat(({operands}), dim={dim})"},
    .numpy = {"np.concatenate(({operands}), axis={dim})"},
    .cpp = {.pattern = "cat({{{operands}}}, {dim})", .setup = header::layout},
    .mathml = {"<mrow><mo>[</mo>{operands}<mo>]</mo></mrow>"},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "CatBackward0"; },
    .explain =
        [](const Call& call, Operands x, const Tensor&, const Index& cell) {
            const std::size_t axis = x[0]->shape().axis(call.integer("dim"));
            Index index = cell;
            std::size_t part = 0;
            for (; index[axis] >= x[part]->shape()[axis]; ++part) {
                index[axis] -= x[part]->shape()[axis];
            }
            return moved({part, index}, {"joined", {{"part", {}, std::to_string(part)}}});
        },
    .cost = cost_of_moving,
};

// (n, d), (1, d) → (n, d)
const Operation with_last_row{
    .name = "with_last_row",
    .evaluate =
        [](const Call&, Operands x, Generator&) {
            Tensor result = *x[0];
            std::ranges::copy(x[1]->values(),
                              result.values().end() - static_cast<std::ptrdiff_t>(x[1]->count()));
            return result;
        },
    .torch = {"{name} = {0}.clone()\n{name}[-1:] = {1}"},
    .numpy = {"{name} = {0}.copy()\n{name}[-1:] = {1}"},
    .cpp = {.pattern = "auto {name} = {0};\n"
                       "std::ranges::copy({1}.values(), {name}.values().last({1}.count()).begin());",
            .setup = "#include <algorithm>"},
    .mathml = {},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "CopySlices"; },
    .explain =
        [](const Call&, Operands x, const Tensor&, const Index& cell) {
            return cell[0] + 1 == x[0]->size(0) ? moved({1, Index{0, cell[1]}}, {"last_row"})
                                                : moved({0, cell}, {"other_row"});
        },
    .cost = cost_of_moving,
};

}  // namespace attn::rows
