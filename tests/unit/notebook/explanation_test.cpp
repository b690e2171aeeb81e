// An explanation, with the cells' numbers inserted and evaluated in double precision, must give the cell.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "notebook/ops.hpp"
#include "tensor/layout.hpp"
#include "walked.hpp"

using attn::literal;
using attn::Notebook;
using attn::Parameters;
using attn::Shape;
using attn::Tensor;
using attn::Var;

namespace {

// Evaluates arithmetic with the cells' numbers inserted; `lines` are the results of earlier parts. Throws for
// a cell that its operand does not have.
double evaluated(const attn::Expr& arithmetic, const std::vector<const Tensor*>& operands,
                 const std::vector<double>& lines) {
    return attn::replaced(arithmetic,
                          [&](const attn::Leaf& leaf) {
                              if (leaf.from == attn::Leaf::From::line) {
                                  return attn::number(lines.at(leaf.of));
                              }
                              if (leaf.from == attn::Leaf::From::number) {
                                  return attn::number(leaf.value);
                              }
                              const Tensor& operand = *operands.at(leaf.of);
                              for (std::size_t axis = 0; axis < operand.rank(); ++axis) {
                                  if (leaf.index[axis] >= operand.shape()[axis]) {
                                      throw std::runtime_error("a cell outside its operand");
                                  }
                              }
                              return attn::number(static_cast<double>(operand.at(leaf.index)));
                          })
        .value();
}

double evaluated(const attn::Explanation& explanation, const std::vector<const Tensor*>& operands) {
    std::vector<double> lines;
    for (const attn::Part& part : explanation.parts) {
        lines.push_back(evaluated(part.arithmetic, operands, lines));
    }
    return evaluated(explanation.arithmetic, operands, lines);
}

bool agrees(double explained, float value) {
    const auto exact = static_cast<double>(value);
    if (std::isnan(exact) || std::isinf(exact)) {
        return std::isnan(exact) ? std::isnan(explained) : explained == exact;
    }
    return std::abs(explained - exact) <= 1e-5 * std::abs(exact);
}

struct Count {
    std::size_t cells = 0;
    std::size_t computed = 0;  // cells whose explanation mentions other cells
    std::set<const attn::Operation*> operations;
};

// Checks the explanation of every cell of every node.
void check_explanations(const Notebook& notebook, Count& count) {
    for (const attn::Node& node : notebook.nodes()) {
        const auto operands = notebook.operands(node.call);
        for (std::size_t i = 0; i < node.value.count(); ++i) {
            const attn::Explanation explanation =
                attn::explanation_of({{node.call, operands}, node.value, node.value.index(i)});
            const double explained = evaluated(explanation, operands);
            if (!agrees(explained, node.value.values()[i])) {
                FAIL_CHECK(node.call.operation->name, " ", node.name, " cell ", i, ": explained as ",
                           explained, " but the cell holds ", node.value.values()[i]);
            }
            ++count.cells;
            count.computed += static_cast<std::size_t>(count_numbers(explanation.arithmetic) > 0);
        }
        count.operations.insert(node.call.operation);
    }
}

Count explained_causal(const Parameters& parameters) {
    Count count;
    const attn::StageTrace trace = attn::walk_causal(attn::journey(), parameters);
    check_explanations(trace.notebook, count);
    return count;
}

}  // namespace

TEST_CASE("the first terms of a sum of products are those of all") {
    const attn::StageTrace trace = attn::walk_causal(attn::journey(), attn::causal_defaults());
    const auto cells_of = [](const attn::Expr& arithmetic) {
        std::vector<std::pair<std::size_t, attn::Index>> cells;
        for_each_number(arithmetic, [&](const attn::Leaf& leaf) { cells.emplace_back(leaf.of, leaf.index); });
        return cells;
    };
    std::size_t cut = 0;
    for (const attn::Node& node : trace.notebook.nodes()) {
        const auto operands = trace.notebook.operands(node.call);
        for (std::size_t i = 0; i < node.value.count(); ++i) {
            const attn::Index cell = node.value.index(i);
            const attn::CellOf x{{node.call, operands}, node.value, cell};
            const auto all = cells_of(explanation_of(x).arithmetic);
            const auto begun = cells_of(explanation_of(x, 2).arithmetic);
            CHECK(std::equal(begun.begin(), begun.end(), all.begin(),
                             all.begin() + static_cast<std::ptrdiff_t>(std::min(begun.size(), all.size()))));
            if (begun.size() != all.size()) {
                const bool is_sum_of_products = node.call.operation->factors != nullptr;
                CHECK(is_sum_of_products);
                CHECK(begun.size() == 4);
                ++cut;
            }
        }
    }
    CHECK(cut > 50);
}

TEST_CASE("every cell of the causal stage is what its explanation says") {
    std::size_t cells = 0;
    const auto explain = [&cells](const char* run, auto change) {
        CAPTURE(run);
        Parameters parameters = attn::causal_defaults();
        change(parameters);
        const Count count = explained_causal(parameters);
        CHECK(count.cells >= 800);
        CHECK(count.computed >= 500);
        cells += count.cells;
    };
    explain("as it is by default", [](Parameters&) {});
    explain("with a bias", [](Parameters& p) { p.qkv_bias = true; });
    explain("with five outputs and another seed", [](Parameters& p) { p.d_out = 5, p.seed = 123; });
    explain("without dropout", [](Parameters& p) { p.dropout = 0.0; });
    explain("with a dropout of 0.3", [](Parameters& p) { p.dropout = 0.3; });
    explain("with everything dropped", [](Parameters& p) { p.dropout = 1.0; });
    explain("with the mask of mkl", [](Parameters& p) { p.dropout_rng = attn::DropoutRng::mkl; });
    CHECK(cells > 5000);
}

// The operands have negative numbers, zeros, masks with other numbers than 0 and 1, and every rank.
TEST_CASE("every operation explains every cell, whatever its operands") {
    constexpr float inf = std::numeric_limits<float>::infinity();
    Notebook nb;
    const Var a = nb.given(Tensor(Shape{2, 3}, {0.5F, -1.25F, 0, 2, 3.5F, -0.75F}));
    const Var b = nb.given(Tensor(Shape{2, 3}, {1.5F, 0.25F, -3, 1e-5F, 2, 8}));
    const Var square = nb.given(Tensor(Shape{3, 3}, {1, -2, 3, 4, 5, -6, 0.1F, 8, 9}));
    const Var vector = nb.given(Tensor(Shape{3}, {-1, 0.5F, 2}));
    const Var pair = nb.given(Tensor(Shape{2}, {0.25F, 0.75F}));
    const Var mask = nb.given(Tensor(Shape{2, 3}, {0, 1, 2, 0, -1, 0.5F}));
    const Var scores = nb.given(Tensor(Shape{2, 3}, {-inf, 1, 2, -inf, -inf, -inf}));
    attn::Generator generator(1);
    const Var blocks = nb.given(attn::rand(generator, Shape{2, 2, 3, 4}));
    const Var other_blocks = nb.given(attn::rand(generator, Shape{2, 2, 4, 3}));
    const Var matrices = nb.given(attn::rand(generator, Shape{2, 2, 3}));

    scalar(nb, literal(2.5));
    const Var seeded = attn::manual_seed(nb, 7);
    attn::parameter(attn::rand(seeded, {literal(2), literal(3)}));
    attn::frozen_parameter(attn::randn(seeded, {literal(4), literal(4)}));
    const Var layer = attn::linear(seeded, literal(3), literal(2), true);
    attn::weight(layer);
    attn::bias(layer);
    attn::ones(nb, {literal(2)});
    attn::ternary(nb, 3, {literal(2), literal(5)});

    a + b;
    a + vector;
    blocks - nb.given(Tensor(Shape{3, 1}, {1, 2, 3}));
    a* b;
    pair* nb.given(Tensor(Shape{2, 1}, {3, -4}));
    a / b;
    attn::maximum(a, b);
    attn::maximum(a, nb.given(Tensor(Shape{2, 1}, {0.25F, -inf})));
    a / literal(std::sqrt(2.0));
    a* literal(-0.1);
    attn::exp(a);
    attn::sqrt(attn::abs(a));
    attn::literal(1) - a;
    attn::abs(a);
    attn::eq(mask, literal(2));
    attn::as_bool(mask);
    attn::masked_fill(a, mask, attn::minus_infinity());
    attn::masked_fill(blocks, nb.given(Tensor(Shape{3, 4}, std::vector<float>(12, 1))), literal(-1e9));
    for (const double p : {0.0, 0.1, 0.5, 1.0}) {
        attn::dropout(seeded, a, literal(p));
    }

    attn::Generator mkl(3);
    attn::mkl_keep_mask(nb, mkl, Shape{2, 3}, literal(0.5));
    attn::mkl_keep_mask(nb, mkl, Shape{2, 3}, literal(1));

    attn::matmul(a, square);
    attn::matmul(a, vector);
    attn::matmul(vector, square);
    attn::matmul(vector, vector);
    attn::matmul(matrices, square);
    attn::matmul(matrices, vector);
    attn::matmul(blocks, other_blocks);
    attn::dot(vector, vector);
    attn::tril(a);
    attn::tril(blocks);
    for (const int diagonal : {-1, 0, 2}) {
        attn::tril(square, attn::literal(diagonal));
        attn::triu(square, diagonal);
        attn::triu(blocks, diagonal);
    }
    for (const int dim : {0, 1, 2, 3, -1, -2}) {
        attn::softmax(blocks, dim);
    }
    attn::softmax(scores, -1);
    attn::sum(blocks);
    attn::sum(blocks, -1, true);
    attn::sum(scores, -1, true);
    attn::sum(blocks, 3, false);
    attn::mean(a, -1);
    attn::mean(blocks, -1);
    attn::amax(a, -1);
    attn::amax(matrices, -1);
    attn::amax(scores, -1);
    attn::amax(a, -1, true);
    attn::amax(scores, -1, true);

    attn::amax(blocks);
    attn::as_float(attn::le(a, b));
    attn::agree(a, a);
    nb.record(attn::alias_op, {a});

    attn::transpose(a);
    attn::transpose(blocks, 1, 2);
    attn::transpose(blocks, 2, 3);
    attn::transpose(blocks, -1, 0);
    attn::view(blocks, {literal(4), literal(12)});
    attn::contiguous(attn::transpose(a));
    attn::select(blocks, {literal(1)});
    attn::select(blocks, {literal(0), literal(1)});
    attn::slice(square, {literal(2), literal(1)});
    attn::slice(blocks, literal(1), literal(2));
    attn::slice(vector, literal(1), literal(3));
    attn::slice(square, literal(1));
    attn::slice(blocks, -literal(1));
    attn::repeat_interleave(blocks, literal(3), 1);
    attn::repeat_interleave(square, literal(2), 0);
    attn::repeat(blocks, {literal(1), literal(2), literal(1), literal(3)});
    attn::stack({a, b, mask});
    attn::cat({a, b}, 0);
    attn::cat({a, nb.given(Tensor(Shape{2, 1}, {5, 6})), b}, -1);
    attn::with_last_row(a, nb.given(Tensor(Shape{1, 3}, {7, -8, 9})));

    attn::arange(nb, literal(3), literal(12), literal(4));
    attn::outer(pair, vector);
    attn::pow(literal(10000), a);
    literal(-2.5) / b;
    attn::logical_not(attn::as_bool(mask));
    const Var angles = nb.given(Tensor(Shape{3, 2}, {0, 0.5F, -1, 2, 30, 400}));
    attn::sin(angles);
    attn::cos(angles);
    for (const Var row : {angles, attn::slice(angles, literal(1), literal(2))}) {
        attn::rotate_halves(blocks, attn::cos(row), attn::sin(row));
        attn::rotate_neighbours(blocks, attn::cos(row), attn::sin(row));
    }

    attn::row_dots(a, vector);
    attn::pair_dots(a, square);
    attn::summed_products(vector, vector);
    attn::weighted_rows(pair, a);
    attn::prefix_products(a, square, nb.given(Tensor(Shape{2}, {1, 3})));

    const Var legacy = attn::numpy::seed(nb, 7);
    attn::numpy::randn(legacy, {literal(2), literal(3)});
    attn::numpy::where(mask, a, attn::minus_infinity());
    attn::numpy::where(mask, a, literal(-0.1));
    attn::numpy::exp(a);
    attn::numpy::sum(blocks);

    attn::square(a);
    attn::mean(blocks);
    attn::ones_like(a);
    attn::expand_as(attn::sum(a), a);
    attn::softmax_backward(square, attn::softmax(square, -1));
    attn::slice_backward(attn::slice(square, literal(1)), square, 0, literal(1), literal(3));
    attn::select_backward(vector, square, literal(1));
    attn::repeat_interleave_backward(attn::repeat_interleave(blocks, literal(3), 1), blocks, literal(3), 1);
    attn::diag(vector);
    attn::outer(vector, vector);
    attn::descend(a, a, literal(0.5));
    attn::run_backward({attn::sum(a)});
    attn::record_again(nb);

    Count count;
    check_explanations(nb, count);
    CHECK(count.cells > 1000);
    CHECK(count.computed > 500);
    CHECK(attn::operations_in_use().size() > 40);
    for (const attn::Operation* operation : attn::operations_in_use()) {
        CAPTURE(operation->name);
        CHECK(count.operations.contains(operation));
    }
}
