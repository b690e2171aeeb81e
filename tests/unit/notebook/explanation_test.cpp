// An explanation, with the cells' numbers inserted and evaluated in double precision, must give the cell.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "notebook/ops.hpp"
#include "tensor/layout.hpp"
#include "walked.hpp"

using namespace attn;

namespace {

double evaluated(const Explanation& explanation, const std::vector<const Tensor*>& operands) {
    std::vector<double> lines;
    const auto value_of = [&](const Leaf& leaf) {
        if (leaf.from != Leaf::From::cell) {
            return leaf.from == Leaf::From::line ? lines.at(leaf.line) : leaf.value;
        }
        const Tensor& operand = *operands.at(leaf.tensor);
        for (std::size_t axis = 0; axis < operand.rank(); ++axis) {
            if (leaf.index[axis] >= operand.shape()[axis]) {
                throw std::runtime_error("a cell outside its operand");
            }
        }
        return static_cast<double>(operand.at(leaf.index));
    };
    for (const Part& part : explanation.parts) {
        lines.push_back(evaluate(part.arithmetic, value_of));
    }
    return evaluate(explanation.arithmetic, value_of);
}

std::vector<std::pair<std::size_t, Index>> cells_of(const Explanation& explanation) {
    std::vector<std::pair<std::size_t, Index>> cells;
    for_each_number(explanation.arithmetic,
                    [&](const Leaf& leaf) { cells.emplace_back(leaf.tensor, leaf.index); });
    return cells;
}

// Checks the explanations of all cells, or of some hundred cells of each large tensor.
void check_explanations(const Notebook& notebook) {
    for (const Node& node : notebook.nodes()) {
        const auto operands = notebook.operands(node.call);
        Sources sources;
        for (std::size_t i = 0; i < node.value.count(); i += 1 + node.value.count() / 300) {
            const Index index = node.value.index(i);
            const CellOf cell{{node.call, operands}, node.value, index};
            const Explanation explanation = explanation_of(cell, sources);
            const double explained = evaluated(explanation, operands);
            const auto value = static_cast<double>(node.value.values()[i]);
            CAPTURE(node.call.operation->name);
            CAPTURE(i);
            CHECK(std::isnan(explained) == std::isnan(value));
            CHECK((std::isnan(value) || explained == value ||
                   std::abs(explained - value) <= 1e-5 * std::abs(value) + 2e-6));
            // The first terms of a sum of products are those of the whole sum.
            auto all = cells_of(explanation);
            const auto first = cells_of(explanation_of(cell, sources, 2));
            all.resize(std::holds_alternative<Products>(node.call.operation->cells) ? first.size()
                                                                                    : all.size());
            CHECK(first == all);
        }
    }
}

}  // namespace

TEST_CASE("every cell of every stage is what its explanation says") {
    for (const Stage* stage : catalogue()) {
        CAPTURE(stage->name);
        Parameters parameters = stage->defaults;
        parameters.qkv_bias = uses(*stage, "qkv_bias");
        parameters.backward = uses(*stage, "backward");
        check_explanations(walk(*stage, journey(), parameters).notebook);
    }
    Parameters parameters = causal_defaults();
    parameters.dropout_rng = DropoutRng::mkl;
    check_explanations(walk_causal(parameters).notebook);
    parameters.dropout = 1;
    check_explanations(walk_causal(parameters).notebook);
}

// Operands and shapes that the stages do not have: negative numbers, zeros, masks with other numbers than 0
// and 1, infinities, and more axes.
TEST_CASE("an operation explains every cell, whatever its operands") {
    constexpr float inf = std::numeric_limits<float>::infinity();
    Notebook nb;
    const Var a = nb.given(Tensor({2, 3}, {0.5F, -1.25F, 0, 2, 3.5F, -0.75F}));
    const Var b = nb.given(Tensor({2, 3}, {1.5F, 0.25F, -3, 1e-5F, 2, 8}));
    const Var table = nb.given(Tensor({3, 3}, {1, -2, 3, 4, 5, -6, 0.1F, 8, 9}));
    const Var vector = nb.given(Tensor({3}, {-1, 0.5F, 2}));
    const Var pair = nb.given(Tensor({2}, {0.25F, 0.75F}));
    const Var column = nb.given(Tensor({2, 1}, {0.25F, -inf}));
    const Var mask = nb.given(Tensor({2, 3}, {0, 1, 2, 0, -1, 0.5F}));
    const Var scores = nb.given(Tensor({2, 3}, {-inf, 1, 2, -inf, -inf, -inf}));
    const Var seeded = manual_seed(nb, 7);
    const Var blocks = rand(seeded, {literal(2), literal(2), literal(3), literal(4)});
    const Var matrices = rand(seeded, {literal(2), literal(2), literal(3)});

    a + vector;
    blocks - nb.given(Tensor({3, 1}, {1, 2, 3}));
    a / b;
    a* column;
    maximum(a, column);
    literal(-2.5) / b;
    attn::pow(literal(10000), a);
    as_float(le(a, b));
    eq(mask, literal(2));
    logical_not(as_bool(mask));
    masked_fill(a, mask, minus_infinity());
    masked_fill(blocks, ones(nb, {literal(3), literal(4)}), literal(-1e9));
    numpy::where(mask, a, literal(-0.1));
    dropout(seeded, a, literal(0.1));
    Generator mkl(3);
    mkl_keep_mask(nb, mkl, Shape{2, 3}, literal(1));

    matmul(vector, vector);
    matmul(matrices, vector);
    outer(pair, vector);
    pair_dots(a, table);
    summed_products(vector, vector);
    for (const int diagonal : {-1, 0, 2}) {
        tril(table, literal(diagonal));
        triu(blocks, diagonal);
    }
    for (const int dim : {0, 1, 2, 3, -2}) {
        softmax(blocks, dim);
    }
    softmax(scores, -1);
    sum(scores, -1, true);
    sum(blocks, 3, false);
    mean(blocks, -1);
    amax(scores, -1, true);
    amax(blocks);
    numpy::sum(blocks);

    transpose(blocks, -1, 0);
    view(blocks, {literal(4), literal(12)});
    select(blocks, {literal(0), literal(1)});
    slice(table, {literal(2), literal(1)});
    slice(blocks, literal(1), literal(2));
    slice(blocks, -literal(1));
    repeat_interleave(blocks, literal(3), 1);
    repeat(blocks, {literal(1), literal(2), literal(1), literal(3)});
    cat({a, column, b}, -1);
    arange(nb, literal(3), literal(12), literal(4));
    const Var angles = nb.given(Tensor({3, 2}, {0, 0.5F, -1, 2, 30, 400}));
    for (const Var row : {angles, slice(angles, literal(1), literal(2))}) {
        rotate_halves(blocks, cos(row), sin(row));
        rotate_neighbours(blocks, cos(row), sin(row));
    }
    slice_backward(slice(table, literal(1)), table, 0, literal(1), literal(3));
    select_backward(vector, table, literal(1));
    sum_groups(repeat_interleave(blocks, literal(3), 1), literal(3), 1);
    check_explanations(nb);
}
