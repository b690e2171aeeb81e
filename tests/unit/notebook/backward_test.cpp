// Gradients are compared with the slope of the loss. tests/oracle/gradients.py compares the gradients of
// whole stages, and the code that computes them, with autograd bit for bit.
#include "notebook/backward.hpp"

#include <doctest/doctest.h>

#include <array>
#include <numeric>

#include "notebook/ops.hpp"
#include "notebook/render.hpp"
#include "tensor/layout.hpp"

using namespace attn;

namespace {

using Function = Var (*)(Var x, Var y);

struct Walked {
    Notebook nb;
    Var x, y, result, loss;

    // The loss weighs each number of the result differently.
    Walked(Function function, const std::array<Tensor, 2>& given)
        : x(nb.step("x", parameter(nb.given(given[0])))),
          y(nb.step("y", parameter(nb.given(given[1])))),
          result(function(x, y)),
          loss(result) {
        Tensor weights(result.value().shape());
        std::iota(weights.values().begin(), weights.values().end(), 1.0F);
        loss = nb.step("loss", sum(result * nb.line("weights", nb.given(weights))));
    }
};

const std::array given{Tensor({2, 3}, {1, 2, 4, 3, -1, 0.5F}), Tensor({2, 3}, {2, 0.5F, -1, 4, 1, 8})};

Var first_row(Var x) {
    return select(x, {literal(0)});
}

template <Var (*rotate)(Var, Var, Var)>
Var rotated(Var x, Var) {
    Notebook& nb = *x.notebook;
    return rotate(view(x, {literal(1), literal(6)}), nb.given(Tensor({1, 3}, {0.5F, -1, 2})),
                  nb.given(Tensor({1, 3}, {1, 3, -2})));
}

}  // namespace

TEST_CASE("the gradient of an operation that few stages or none train through is the slope of the loss") {
    const Function functions[] = {
        [](Var x, Var y) { return x + y; },
        [](Var x, Var y) { return x - y; },
        [](Var x, Var y) { return x * y; },
        [](Var x, Var y) { return x / y; },
        [](Var x, Var y) { return x + first_row(y); },
        [](Var x, Var y) { return first_row(x) / sum(y, -1, true); },
        [](Var x, Var) { return x * literal(3); },
        [](Var x, Var) { return literal(1) - x; },
        [](Var x, Var) { return -x; },
        [](Var x, Var) { return sqrt(x * x); },
        [](Var x, Var) { return exp(x); },
        [](Var x, Var) { return sin(x); },
        [](Var x, Var) { return cos(x); },
        rotated<rotate_neighbours>,
        [](Var x, Var y) {
            return cat({x, y}, 0);
        },
        [](Var x, Var y) {
            return select(stack({x, y}), {literal(1), literal(0)});
        },
        [](Var x, Var) { return slice(x, literal(1), literal(2)); },
        [](Var x, Var) {
            return slice(x, {literal(2), literal(2)});
        },
        [](Var x, Var) { return columns(x, literal(1), literal(3)); },
        [](Var x, Var y) { return matmul(first_row(x), transpose(y)); },
        [](Var x, Var y) { return matmul(x, first_row(y)); },
        [](Var x, Var y) { return dot(first_row(x), first_row(y)); },
        [](Var x, Var) { return mean(x) * literal(12); },
        [](Var x, Var) { return mean(x, -1); },
        [](Var x, Var) { return tril(x); },
        [](Var x, Var) { return triu(x, 1); },
    };
    for (const Function function : functions) {
        Walked walked(function, given);
        CAPTURE(expression(walked.nb, walked.result.id, Language::torch));
        backward(walked.loss);
        for (const std::size_t operand : {0U, 1U}) {
            const std::optional<Var> gradient = gradient_of(operand == 0 ? walked.x : walked.y);
            for (std::size_t i = 0; i < given[operand].count(); ++i) {
                const auto loss = [&](float step) {
                    std::array moved = given;
                    moved[operand].values()[i] += step;
                    return static_cast<double>(Walked(function, moved).loss.value().values()[0]);
                };
                const double slope = (loss(1.0F / 64) - loss(-1.0F / 64)) * 32;
                CHECK((gradient ? static_cast<double>(gradient->value().values()[i]) : 0) ==
                      doctest::Approx(slope).epsilon(0.01));
            }
        }
    }
}

TEST_CASE("a second backward pass is possible once autograd records again") {
    Walked walked([](Var x, Var) { return square(x); }, given);
    backward(walked.loss);
    record_again(walked.nb);
    const Var lower =
        walked.nb.step("lower", parameter(descend(walked.x, *gradient_of(walked.x), literal(0.5))));
    CHECK(lower.value().values()[5] == -2.5F);
    backward(walked.nb.step("again", sum(square(lower))));
    CHECK(gradient_of(lower)->value().values()[5] == -5);
    CHECK_FALSE(gradient_of(walked.y));
}

TEST_CASE("an operation without a gradient is named") {
    Walked walked([](Var x, Var) { return abs(x); }, given);
    CHECK_THROWS_WITH(backward(walked.loss), "[backward] No gradient is known of abs.");
}
