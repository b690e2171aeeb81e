// Rows of the operations that work on whole rows and columns.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "notebook/rows.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"
#include "tensor/reduce.hpp"
#include "tensor/softmax.hpp"

namespace attn::rows {

namespace {

// (…, n, k) × (…, k, m): a row of the left against a column of the right. A vector on the right is its only
// column.
Explanation explain_product(const Call&, Operands x, const Tensor& result, const Index& cell) {
    const Tensor& a = *x[0];
    const Tensor& b = *x[1];
    std::vector<Cell> cells;
    for (std::size_t k = 0; k < a.size(-1); ++k) {
        Index left = cell;
        left[a.rank() - 1] = k;
        Index right = cell;
        if (b.rank() > 1) {
            right[b.rank() - 1] = cell[result.rank() - 1];
            right[b.rank() - 2] = k;
        } else {
            right[0] = k;
        }
        cells.push_back({0, left});
        cells.push_back({1, right});
    }
    return joined(std::move(cells), "{}·{}", " + ");
}

Explanation explain_softmax(const Call& call, Operands x, const Tensor&, const Index& cell) {
    const std::size_t axis = x[0]->shape().axis(call.integer("dim"));
    const auto along = [&](std::size_t position) {
        Index index = cell;
        index[axis] = position;
        return Cell{0, index};
    };
    const std::size_t length = x[0]->shape()[axis];
    std::vector<Cell> row;
    for (std::size_t i = 0; i < length; ++i) {
        row.push_back(along(i));
    }
    Explanation explanation{"{} / {}", {part_cell(1 + cell[axis]), part_cell(1 + length)}, {}};
    explanation.parts.push_back({"largest", {}, largest_of(row).text, row});
    std::vector<Cell> exponentials;
    for (const Cell& number : row) {
        exponentials.push_back(part_cell(explanation.parts.size()));
        explanation.parts.push_back({"exp", number.index, "exp({} − {})", {number, part_cell(0)}});
    }
    const std::string text = joined(exponentials, "{}", " + ").text;
    explanation.parts.push_back({"sum", {}, text, std::move(exponentials)});
    return explanation;
}

Explanation explain_row_sum(const Call&, Operands x, const Tensor&, const Index& cell) {
    return joined(row_cells(x, cell), "{}", " + ");
}

// A triangle keeps a cell or makes it 0.
Explanation explain_triangle(bool keeps, const Index& cell, Reason reason) {
    return {keeps ? "{}" : "0",
            keeps ? std::vector<Cell>{{0, cell}} : std::vector<Cell>{},
            {},
            std::move(reason)};
}

// How far a cell lies to the right of the diagonal.
int right_of_diagonal(Operands x, const Index& cell) {
    return static_cast<int>(cell[x[0]->rank() - 1]) - static_cast<int>(cell[x[0]->rank() - 2]);
}

}  // namespace

const Operation matmul{
    .name = "matmul",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::matmul(*x[0], *x[1]); },
    .torch = {"{0} @ {1}", Binding::product},
    .numpy = {"{0} @ {1}", Binding::product},
    .cpp = {.pattern = "matmul({0}, {1})", .setup = header::matmul},
    .mathml = {"{0}<mo>⁢</mo>{1}", Binding::product},
    .grad_fn = [](const Call&, Operands x) -> std::string_view {
        if (x[0]->rank() > 2) {
            return "UnsafeViewBackward0";
        }
        if (x[0]->rank() == 1) {
            return x[1]->rank() == 1 ? "DotBackward0" : "SqueezeBackward3";
        }
        return x[1]->rank() == 1 ? "MvBackward0" : "MmBackward0";
    },
    .explain = explain_product,
    .cost =
        [](Operands x, const Tensor& result) {
            return Cost{2 * x[0]->size(-1) * result.count(), cost_of_moving(x, result).bytes};
        },
};

const Operation dot{
    .name = "dot",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::dot(*x[0], *x[1]); },
    .torch = {"torch.dot({0}, {1})"},
    .numpy = {"np.dot({0}, {1})"},
    .cpp = {.pattern = "dot({0}, {1})", .setup = header::matmul},
    .mathml = {"{0}<mo>·</mo>{1}", Binding::product},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "DotBackward0"; },
    .explain = explain_product,
    .cost =
        [](Operands x, const Tensor& result) {
            return Cost{2 * x[0]->count(), cost_of_moving(x, result).bytes};
        },
};

const Operation tril{
    .name = "tril",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::tril(*x[0]); },
    .torch = {"torch.tril({0})"},
    .numpy = {"np.tril({0})"},
    .cpp = {.pattern = "tril({0})", .setup = header::layout},
    .mathml = {"{0:ij}<mtext> if </mtext><mi>j</mi><mo>≤</mo><mi>i</mi><mtext> else </mtext><mn>0</mn>",
               Binding::comparison},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "TrilBackward0"; },
    .explain =
        [](const Call&, Operands x, const Tensor&, const Index& cell) {
            const bool keeps = right_of_diagonal(x, cell) <= 0;
            return explain_triangle(keeps, cell, {keeps ? "tril_keeps" : "tril_clears"});
        },
    .cost = cost_of_moving,
};

const Operation tril_from{
    .name = "tril",
    .evaluate = [](const Call& call, Operands x,
                   Generator&) { return attn::tril(*x[0], call.integer("diagonal")); },
    .torch = {"torch.tril({0}, diagonal={diagonal})"},
    .numpy = {"np.tril({0}, k={diagonal})"},
    .cpp = {.pattern = "tril({0}, {diagonal})", .setup = header::layout},
    .mathml =
        {"{0:ij}<mtext> if </mtext><mi>j</mi><mo>≤</mo><mi>i</mi><mo>+</mo>{diagonal}<mtext> else </mtext>"
         "<mn>0</mn>",
         Binding::comparison},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "TrilBackward0"; },
    .explain =
        [](const Call& call, Operands x, const Tensor&, const Index& cell) {
            const bool keeps = right_of_diagonal(x, cell) <= call.integer("diagonal");
            return explain_triangle(keeps, cell,
                                    {keeps ? "tril_keeps_to" : "tril_clears_to",
                                     {{"diagonal", number_cell(call, "diagonal"), ""}}});
        },
    .cost = cost_of_moving,
};

const Operation triu{
    .name = "triu",
    .evaluate = [](const Call& call, Operands x,
                   Generator&) { return attn::triu(*x[0], call.integer("diagonal")); },
    .torch = {"torch.triu({0}, diagonal={diagonal})"},
    .numpy = {"np.triu({0}, k={diagonal})"},
    .cpp = {.pattern = "triu({0}, {diagonal})", .setup = header::layout},
    .mathml =
        {"{0:ij}<mtext> if </mtext><mi>j</mi><mo>≥</mo><mi>i</mi><mo>+</mo>{diagonal}<mtext> else </mtext>"
         "<mn>0</mn>",
         Binding::comparison},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "TriuBackward0"; },
    .explain =
        [](const Call& call, Operands x, const Tensor&, const Index& cell) {
            const int diagonal = call.integer("diagonal");
            const bool keeps = right_of_diagonal(x, cell) >= diagonal;
            const bool is_causal = diagonal == 1;  // what lies right of the diagonal comes later
            return explain_triangle(keeps, cell,
                                    {is_causal ? (keeps ? "triu_keeps" : "triu_clears")
                                               : (keeps ? "triu_keeps_from" : "triu_clears_from"),
                                     {{"diagonal", number_cell(call, "diagonal"), ""}}});
        },
    .cost = cost_of_moving,
};

const Operation softmax{
    .name = "softmax",
    .evaluate = [](const Call& call, Operands x,
                   Generator&) { return attn::softmax(*x[0], call.integer("dim")); },
    .torch = {"torch.softmax({0}, dim={dim})"},
    .numpy = {.pattern = "softmax({0}, axis={dim})",
              .setup = "def softmax(x, axis):\n"
                       "    exp_x = np.exp(x - x.max(axis=axis, keepdims=True))\n"
                       "    return exp_x / exp_x.sum(axis=axis, keepdims=True)"},
    .cpp = {.pattern = "softmax({0}, {dim})", .setup = header::softmax},
    .mathml = {"<mrow><mi>softmax</mi><mo>(</mo>{0}<mo>)</mo></mrow>"},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "SoftmaxBackward0"; },
    .explain = explain_softmax,
    // maximum, difference, exp, sum, quotient
    .cost =
        [](Operands x, const Tensor& result) {
            return Cost{5 * result.count(), cost_of_moving(x, result).bytes};
        },
};

const Operation row_sums{
    .name = "sum",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::row_sums(*x[0]); },
    .torch = {"{0}.sum(dim=-1, keepdim=True)"},
    .numpy = {"{0}.sum(axis=-1, keepdims=True)"},
    .cpp = {.pattern = "row_sums({0})", .setup = header::reduce},
    .mathml = {"<munder><mo>∑</mo><mi>j</mi></munder>{0:ij}", Binding::sum},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "SumBackward1"; },
    .explain = explain_row_sum,
    .cost = cost_per_operand_cell,
    .cell_index = "i",
};

const Operation row_means{
    .name = "mean",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::row_means(*x[0]); },
    .torch = {"{0}.mean(dim=-1)"},
    .numpy = {"{0}.mean(axis=-1)"},
    .cpp = {.pattern = "row_means({0})", .setup = header::reduce},
    .mathml = {"<mrow><mi>mean</mi><mo>(</mo>{0}<mo>)</mo></mrow>"},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "MeanBackward1"; },
    .explain =
        [](const Call& call, Operands x, const Tensor& result, const Index& cell) {
            Explanation row = explain_row_sum(call, x, result, cell);
            const Cell length = number_cell(static_cast<double>(x[0]->size(-1)));
            return Explanation{
                "{} / {}", {part_cell(0), length}, {{"sum", {}, row.text, std::move(row.cells)}}};
        },
    .cost =
        [](Operands x, const Tensor& result) {
            return Cost{x[0]->count() + result.count(), cost_of_moving(x, result).bytes};
        },
    .cell_index = "i",
};

const Operation sum{
    .name = "sum",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::sum(*x[0]); },
    .torch = {"{0}.sum()"},
    .numpy = {"{0}.sum()"},
    .cpp = {.pattern = "sum({0})", .setup = header::reduce},
    .mathml = {"<mo>∑</mo>{0}", Binding::sum},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "SumBackward0"; },
    .explain = [](const Call&, Operands x, const Tensor&,
                  const Index&) { return joined(all_cells(x), "{}", " + "); },
    .cost = cost_per_operand_cell,
};

const Operation row_maxima{
    .name = "amax",
    .evaluate = [](const Call&, Operands x, Generator&) { return attn::row_maxima(*x[0]); },
    .torch = {"{0}.amax(dim=-1)"},
    .numpy = {"{0}.max(axis=-1)"},
    .cpp = {.pattern = "row_maxima({0})", .setup = header::reduce},
    .mathml = {"<munder><mi>max</mi><mi>j</mi></munder>{0:ij}", Binding::sum},
    .grad_fn = [](const Call&, Operands) -> std::string_view { return "AmaxBackward0"; },
    .explain = [](const Call&, Operands x, const Tensor&,
                  const Index& cell) { return largest_of(row_cells(x, cell)); },
    .cost = cost_per_operand_cell,
    .cell_index = "i",
};

// The same with the axis kept, so that the maxima can be subtracted from their rows.
const Operation kept_row_maxima{
    .name = "amax",
    .evaluate = [](const Call& call, Operands x,
                   Generator&) { return attn::view(attn::row_maxima(*x[0]), call.shape()); },
    .torch = {"{0}.amax(dim=-1, keepdim=True)"},
    .numpy = {"np.max({0}, axis=-1, keepdims=True)"},
    .cpp = {.pattern = "view(row_maxima({0}), {{{size}}})",
            .setup = "#include \"tensor/layout.hpp\"\n#include \"tensor/reduce.hpp\""},
    .mathml = row_maxima.mathml,
    .grad_fn = row_maxima.grad_fn,
    .explain = row_maxima.explain,
    .cost = cost_per_operand_cell,
    .cell_index = "i",
};

}  // namespace attn::rows
