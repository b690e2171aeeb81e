// Gradients of single operations, compared with autograd: golden numbers of PyTorch 1.13, each with its
// command. Also tests the order in which the gradients of a tensor that is used several times are added.
#include "notebook/backward.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "notebook/ops.hpp"
#include "notebook/render.hpp"
#include "tensor/layout.hpp"

using attn::literal;
using attn::Notebook;
using attn::Shape;
using attn::Tensor;
using attn::Var;

namespace {

struct Walked {
    Notebook nb;
    // torch.nn.Parameter(torch.tensor([[1., 2., 4.], [3., -1., 0.5]])), and the same for y
    Var x = nb.step("x", attn::parameter(nb.given(Tensor(Shape{2, 3}, {1, 2, 4, 3, -1, 0.5F}))));
    Var y = nb.step("y", attn::parameter(nb.given(Tensor(Shape{2, 3}, {2, 0.5F, -1, 4, 1, 8}))));

    // Runs the backward pass from the sum of the result times arange(1, n + 1), so that no two numbers have
    // the same weight.
    void back(Var result) {
        Tensor weights(result.value().shape());
        float place = 0.0F;
        for (float& weight : weights.values()) {
            weight = ++place;
        }
        const Var weighted = result * nb.line("weights", nb.given(std::move(weights)));
        attn::backward(nb.step("loss", attn::sum(weighted)));
    }

    std::size_t id(std::string_view name) const {
        const auto found = std::ranges::find(
            nb.nodes(), name, [](const attn::Node& node) { return std::string_view(node.name); });
        REQUIRE(found != nb.nodes().end());
        return static_cast<std::size_t>(found - nb.nodes().begin());
    }

    const attn::Node& node(std::string_view name) const { return nb.nodes()[id(name)]; }

    std::vector<float> gradient(std::string_view name) const {
        const auto values = node(std::string(name) + "_grad").value.values();
        return {values.begin(), values.end()};
    }

    std::string code(std::string_view name) const {
        return attn::statement(nb, id(name), attn::Language::torch);
    }
};

using Numbers = std::vector<float>;

}  // namespace

// (f(x, y) * torch.arange(1., n + 1).view(shape)).sum().backward(); print(x.grad, y.grad)
TEST_CASE("sums, differences, products and quotients hand their gradients on") {
    Walked sum, difference, product, quotient;
    sum.back(sum.x + sum.y);
    CHECK(sum.gradient("x") == Numbers{1, 2, 3, 4, 5, 6});
    CHECK(sum.gradient("y") == Numbers{1, 2, 3, 4, 5, 6});
    difference.back(difference.x - difference.y);
    CHECK(difference.gradient("y") == Numbers{-1, -2, -3, -4, -5, -6});
    product.back(product.x * product.y);
    CHECK(product.gradient("x") == Numbers{2, 1, -3, 16, 5, 48});
    CHECK(product.gradient("y") == Numbers{1, 4, 12, 12, -5, 3});
    quotient.back(quotient.x / quotient.y);
    CHECK(quotient.gradient("x") == Numbers{0.5F, 4, -3, 1, 5, 0.75F});
    CHECK(quotient.gradient("y") == Numbers{-0.25F, -16, -12, -0.75F, 5, -0.046875F});
}

TEST_CASE("numbers and functions of one tensor hand their gradients on") {
    Walked scaled, divided, subtracted, rooted, negative;
    scaled.back(scaled.x * literal(3));
    CHECK(scaled.gradient("x") == Numbers{3, 6, 9, 12, 15, 18});
    divided.back(divided.x / literal(2));
    CHECK(divided.gradient("x") == Numbers{0.5F, 1, 1.5F, 2, 2.5F, 3});
    subtracted.back(literal(1) - subtracted.x);
    CHECK(subtracted.gradient("x") == Numbers{-1, -2, -3, -4, -5, -6});
    rooted.back(attn::sqrt(rooted.x * rooted.x));
    CHECK(rooted.gradient("x") == Numbers{1, 2, 3, 4, -5, 6});
    Walked squared;
    squared.back(attn::square(squared.x));
    CHECK(squared.gradient("x") == Numbers{2, 8, 24, 24, -10, 6});
    negative.back(-negative.x);
    CHECK(negative.gradient("x") == Numbers{-1, -2, -3, -4, -5, -6});
    Walked zero;
    zero.back(attn::exp(zero.x - zero.x));
    CHECK(zero.gradient("x") == Numbers{0, 0, 0, 0, 0, 0});
}

TEST_CASE("sines, cosines and rotations hand their gradients on") {
    Walked sine, cosine;
    sine.back(attn::sin(sine.x));
    CHECK(sine.gradient("x") ==
          Numbers{0.540302336F, -0.832293689F, -1.96093082F, -3.95997F, 2.70151162F, 5.2654953F});
    cosine.back(attn::cos(cosine.x));
    CHECK(cosine.gradient("x") ==
          Numbers{-0.841470957F, -1.81859481F, 2.27040744F, -0.564480007F, 4.20735455F, -2.8765533F});
    const auto turned = [](Var (*rotate)(Var, Var, Var)) {
        Walked walked;
        const Var cos = walked.nb.line("cos", walked.nb.given(Tensor(Shape{1, 3}, {0.5F, -1, 2})));
        const Var sin = walked.nb.line("sin", walked.nb.given(Tensor(Shape{1, 3}, {1, 3, -2})));
        walked.back(rotate(attn::view(walked.x, {literal(1), literal(6)}), cos, sin));
        return walked.gradient("x");
    };
    CHECK(turned(attn::rotate_halves) == Numbers{4.5F, 13, -6, 1, -11, 18});
    CHECK(turned(attn::rotate_neighbours) == Numbers{2.5F, 0, 9, -13, -2, 22});
}

TEST_CASE("layout puts gradients back where the numbers came from") {
    Walked transposed, viewed, joined, below, selected, cut, corner, stacked;
    transposed.back(attn::transpose(transposed.x));
    CHECK(transposed.gradient("x") == Numbers{1, 3, 5, 2, 4, 6});
    viewed.back(attn::view(viewed.x, {literal(3), literal(2)}));
    CHECK(viewed.gradient("x") == Numbers{1, 2, 3, 4, 5, 6});
    joined.back(attn::cat({joined.x, joined.y}, -1));
    CHECK(joined.gradient("x") == Numbers{1, 2, 3, 7, 8, 9});
    CHECK(joined.gradient("y") == Numbers{4, 5, 6, 10, 11, 12});
    below.back(attn::cat({below.x, below.y}, 0));
    CHECK(below.gradient("y") == Numbers{7, 8, 9, 10, 11, 12});
    selected.back(attn::select(selected.x, {literal(1)}));
    CHECK(selected.gradient("x") == Numbers{0, 0, 0, 1, 2, 3});
    Walked deeper;
    deeper.back(attn::select(attn::stack({deeper.x, deeper.y}), {literal(1), literal(0)}));
    CHECK(deeper.gradient("x") == Numbers{0, 0, 0, 0, 0, 0});
    CHECK(deeper.gradient("y") == Numbers{1, 2, 3, 0, 0, 0});
    cut.back(attn::slice(cut.x, literal(1), literal(2)));
    CHECK(cut.gradient("x") == Numbers{0, 0, 0, 1, 2, 3});
    corner.back(attn::slice(corner.x, {literal(2), literal(2)}));
    CHECK(corner.gradient("x") == Numbers{1, 2, 0, 3, 4, 0});
    Walked columns;
    columns.back(attn::columns(columns.x, literal(1), literal(3)));
    CHECK(columns.gradient("x") == Numbers{0, 1, 2, 0, 3, 4});
    stacked.back(attn::stack({stacked.x, stacked.y}));
    CHECK(stacked.gradient("y") == Numbers{7, 8, 9, 10, 11, 12});
}

TEST_CASE("products hand back the other factor, whatever their ranks") {
    Walked square, row, column, dot;
    square.back(attn::matmul(square.x, attn::transpose(square.y)));
    CHECK(square.gradient("x") == Numbers{10, 2.5F, 15, 22, 5.5F, 29});
    CHECK(square.gradient("y") == Numbers{10, -1, 5.5F, 14, 0, 10});
    Walked named;
    const Var scores = named.nb.step("scores", attn::matmul(named.x, attn::transpose(named.y)));
    named.back(scores);
    CHECK(named.code("x_grad") == "x_grad = scores_grad @ y");
    CHECK(named.code("y_grad") == "y_grad = scores_grad.T @ x");
    CHECK(named.gradient("y") == square.gradient("y"));
    const auto vector = [](Var x) { return attn::select(x, {literal(0)}); };
    row.back(attn::matmul(vector(row.x), attn::transpose(row.y)));
    CHECK(row.gradient("x") == Numbers{10, 2.5F, 15, 0, 0, 0});
    CHECK(row.gradient("y") == Numbers{1, 2, 4, 2, 4, 8});
    column.back(attn::matmul(column.x, vector(column.y)));
    CHECK(column.gradient("x") == Numbers{2, 0.5F, -1, 4, 1, -2});
    CHECK(column.gradient("y") == Numbers{7, 0, 5, 0, 0, 0});
    dot.back(attn::dot(vector(dot.x), vector(dot.y)));
    CHECK(dot.gradient("x") == Numbers{2, 0.5F, -1, 0, 0, 0});
}

TEST_CASE("what broadcasting spread is added up again") {
    Walked bias, kept;
    bias.back(bias.x + attn::select(bias.y, {literal(0)}));
    CHECK(bias.gradient("y") == Numbers{5, 7, 9, 0, 0, 0});
    kept.back(kept.x / attn::sum(kept.x, -1, true));
    CHECK(static_cast<double>(kept.gradient("x")[0]) == doctest::Approx(-0.2041).epsilon(1e-3));
    Walked repeated;
    repeated.back(attn::repeat_interleave(repeated.x, literal(2), -1));
    CHECK(repeated.gradient("x") == Numbers{3, 7, 11, 15, 19, 23});
    Walked all;
    all.back(attn::mean(all.x) * literal(12));
    CHECK(all.gradient("x") == Numbers{2, 2, 2, 2, 2, 2});
    Walked mean;
    mean.back(attn::mean(mean.x, -1));
    CHECK(mean.gradient("x") == Numbers{1 / 3.0F, 1 / 3.0F, 1 / 3.0F, 2 / 3.0F, 2 / 3.0F, 2 / 3.0F});
}

TEST_CASE("masks let a gradient through where they let a number through") {
    Walked lower, upper, filled;
    lower.back(attn::tril(lower.x));
    CHECK(lower.gradient("x") == Numbers{1, 0, 0, 4, 5, 0});
    upper.back(attn::triu(upper.x, 1));
    CHECK(upper.gradient("x") == Numbers{0, 2, 3, 0, 0, 6});
    filled.back(attn::masked_fill(filled.x, attn::eq(filled.y, literal(4)), literal(7)));
    CHECK(filled.gradient("x") == Numbers{1, 2, 3, 0, 5, 6});
}

TEST_CASE("a tensor that is used more than once adds up what was recorded last first") {
    Walked walked;
    const Var first = walked.nb.step("first", walked.x * literal(2));
    const Var second = walked.nb.step("second", walked.x * literal(3));
    walked.back(first + second);
    CHECK(walked.gradient("x") == Numbers{5, 10, 15, 20, 25, 30});
    CHECK(walked.code("x_grad") == "x_grad = second_grad * 3 + first_grad * 2");
    CHECK(walked.node("x_grad").gradient_of == walked.x.id);
    CHECK(walked.node("second_grad").role == attn::Role::step);
}

TEST_CASE("a way back can be gone again once autograd records again") {
    Walked walked;
    walked.back(walked.x);
    attn::record_again(walked.nb);
    const Var lower = walked.nb.step(
        "lower", attn::parameter(attn::descend(walked.x, *attn::gradient_of(walked.x), literal(0.5))));
    CHECK(lower.value().values()[5] == -2.5F);
    const Var again = walked.nb.step("again", attn::sum(attn::square(lower)));
    attn::backward(again);
    CHECK(walked.gradient("lower") == Numbers{1, 2, 5, 2, -7, -5});
    CHECK_FALSE(attn::gradient_of(walked.y).has_value());
}

TEST_CASE("nothing requires a gradient once it went back") {
    Walked walked;
    walked.back(walked.x);
    CHECK_FALSE(walked.node("x_grad").requires_grad);
    CHECK_FALSE(walked.nb.nodes()[(walked.x * walked.y).id].requires_grad);
}

TEST_CASE("a row that knows no gradient says so") {
    Walked walked;
    CHECK_THROWS_WITH(walked.back(attn::abs(walked.x)), "[backward] No gradient is known of abs.");
}
