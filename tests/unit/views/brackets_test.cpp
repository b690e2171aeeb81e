// An inlined expression has brackets where they are needed, and only there.
#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "notebook/ops.hpp"
#include "tensor/layout.hpp"
#include "views/explain/arithmetic_text.hpp"
#include "views/explain/derivation.hpp"

using namespace attn;

namespace {

struct Numbers {
    Notebook nb;
    Var a = nb.step("a", nb.given(Tensor({2, 2}, {2, 3, -5, 7})));
    Var b = nb.step("b", nb.given(Tensor({2, 2}, {11, 13, 17, -19})));
    Var c = nb.step("c", nb.given(Tensor({2, 2}, {0.5, -4, 8, 0.25})));

    // Returns the line that computes cell [0][0], with names.
    std::string line(Var node) {
        node = nb.step("s", node);
        const Derivation derivation = derive(nb, node.id, Index{});
        lines = derivation.lines.size();
        reasons = derivation.reasons;
        const ArithmeticText text = arithmetic_text(nb, derivation.lines.back(), 4, Language::torch);
        CHECK(text.equal);
        return fmt::format("{}", fmt::join(text.names, ""));
    }
    std::size_t lines = 0;
    std::vector<CellReason> reasons;
};

}  // namespace

TEST_CASE("what is used twice gets a line of its own, and so does what is long") {
    Numbers n;
    const Var sum = n.a + n.b;
    n.line(sum * sum);
    CHECK(n.lines == 2);
    Numbers m;
    const Var row = m.nb.step("row", m.nb.given(ones(Shape{5})));
    m.line(dot(row, row) * m.a);
    CHECK(m.lines == 2);
}

TEST_CASE("a mask that was written out is told of cell by cell, as far back as it has a name") {
    using Told = std::vector<std::pair<std::string, Index>>;
    const auto told = [](const std::vector<CellReason>& reasons) {
        Told all;
        for (const CellReason& reason : reasons) {
            all.emplace_back(reason.id, reason.index);
        }
        return all;
    };
    const auto masked = [](Numbers& n) {
        const Var mask = triu(ones(n.nb, {literal(2), literal(2)}), 0);
        return masked_fill(n.a, as_bool(mask), literal(0));
    };
    Numbers n;
    CHECK(n.line(matmul(masked(n), n.b)) == "0*b[0][0] + 0*b[1][0]");
    CHECK(told(n.reasons) == Told{{"masked", Index{0, 0}}, {"masked", Index{0, 1}}});
    Numbers m;
    const Var step = m.nb.step("s", masked(m));
    const Derivation derivation = derive(m.nb, step.id, Index{1, 0});
    REQUIRE(derivation.reasons.size() > 0);
    CHECK(told({derivation.reasons[0]}) == Told{{"unmasked", Index{1, 0}}});
    CHECK(derivation.reasons[0].facts[0].value == 0.0);
}

TEST_CASE("terms that come to 0 are left out, but a difference is not") {
    Numbers n;
    const Var node = n.nb.step("s", n.a - n.a + n.b + n.c * literal(0));
    const Derivation derivation = derive(n.nb, node.id, Index{});
    const ShortLine shorter = shortened(derivation.lines.back());
    CHECK(shorter.zeros == 1);
    CHECK(arithmetic_text(n.nb, shorter.line, 4, Language::torch).equation() == "2 - 2 + 11 = 11");
}

TEST_CASE("a result near the middle of two decimals has as many more as it takes") {
    Notebook nb;
    const Var x = nb.step("x", nb.given(Tensor({1}, {0.7754F})));
    const Var y = nb.step("y", nb.given(Tensor({1}, {0.7313F})));
    const Var product = nb.step("s", x * y);  // 0.56705002, which float32 rounds to 0.56704998
    const Derivation derivation = derive(nb, product.id, Index{});
    const ArithmeticText text = arithmetic_text(nb, derivation.lines.back(), 4, Language::torch);
    CHECK(text.equal);
    CHECK(text.equation() == "0.7754 * 0.7313 = 0.56705");
}

TEST_CASE("where only rounding on the way tells why a number is 0, the text does not say it is equal") {
    Notebook nb;
    const Var x = nb.step("x", nb.given(Tensor({2}, {109.05F, -19425.078F})));
    const Var y = nb.step("y", nb.given(Tensor({2}, {178.13F, 1})));
    const Var product = nb.step("s", dot(x, y));
    REQUIRE(product.value().values()[0] == 0.0F);
    const Derivation derivation = derive(nb, product.id, Index{});
    const ArithmeticText text = arithmetic_text(nb, derivation.lines.back(), 4, Language::torch);
    CHECK_FALSE(text.equal);
    CHECK(text.equation() == "109.05*178.13 + (-19425.078)*1 ≈ 0");
}
