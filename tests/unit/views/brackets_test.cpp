// An inlined expression has brackets where they are needed, and only there.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "notebook/ops.hpp"
#include "tensor/layout.hpp"
#include "views/explain/arithmetic_text.hpp"
#include "views/explain/derivation.hpp"
#include "words/words.hpp"

using namespace attn;

namespace {

struct Numbers {
    Notebook nb;
    Var a = nb.step("a", nb.given(Tensor({2, 2}, {2, 3, -5, 7})));
    Var b = nb.step("b", nb.given(Tensor({2, 2}, {11, 13, 17, -19})));
    Var c = nb.step("c", nb.given(Tensor({2, 2}, {0.5, -4, 8, 0.25})));
};

Derivation derived(Var node, const Index& cell = {}) {
    Notebook& nb = *node.notebook;
    KnownCells known;
    return derive(nb, nb.step("s", node).id, cell, known);
}

ArithmeticText text_of(const Notebook& nb, const DerivationLine& line) {
    return arithmetic_text(nb, line, Words("en", "explanation"), 4, Language::torch);
}

// Returns the last line of a product's derivation.
ArithmeticText product_text(const Tensor& x, const Tensor& y, Var (*product)(Var, Var)) {
    Notebook nb;
    const Var node = product(nb.step("x", nb.given(x)), nb.step("y", nb.given(y)));
    return text_of(nb, derived(node).lines.back());
}

using Told = std::vector<std::pair<std::string, Index>>;

Told told(const std::vector<CellReason>& reasons) {
    Told all;
    for (const CellReason& reason : reasons) {
        all.emplace_back(reason.reason.id, reason.index);
    }
    return all;
}

}  // namespace

TEST_CASE("what is used twice gets a line of its own, and so does what is long") {
    Numbers n;
    const Var sum = n.a + n.b;
    CHECK(derived(sum * sum).lines.size() == 2);
    const Var row = n.nb.step("row", n.nb.given(ones(Shape{5})));
    CHECK(derived(dot(row, row) * n.a).lines.size() == 2);
}

TEST_CASE("a mask that was written out is told of cell by cell, as far back as it has a name") {
    Numbers n;
    const Var mask = triu(ones(n.nb, {literal(2), literal(2)}), 0);
    const Var masked = masked_fill(n.a, as_bool(mask), literal(0));
    const Derivation product = derived(matmul(masked, n.b));
    CHECK(told(product.reasons) == Told{{"masked", Index{0, 0}}, {"masked", Index{0, 1}}});
    const ArithmeticText text = text_of(n.nb, product.lines.back());
    CHECK(text.exact);
    std::string names;
    for (const TextPiece& piece : text.names) {
        names += piece.text;
    }
    CHECK(names == "0*b[0][0]");
    const Derivation unmasked = derived(masked, Index{1, 0});
    REQUIRE(unmasked.reasons.size() > 0);
    CHECK(told({unmasked.reasons[0]}) == Told{{"unmasked", Index{1, 0}}});
    CHECK(unmasked.reasons[0].reason.facts[0].number.value == 0.0);
}

TEST_CASE("terms that come to 0 are left out, but a difference is not") {
    Numbers n;
    const ArithmeticText text = text_of(n.nb, derived(n.a - n.a + n.b + n.c * literal(0)).lines.back());
    CHECK(text.equation() == "2 - 2 + 11 = 11");
    CHECK(text.remark != "");
}

TEST_CASE("a result near the middle of two decimals has as many more as it takes") {
    // 0.56705002, which float32 rounds to 0.56704998
    const ArithmeticText text =
        product_text(full({1}, 0.7754F), full({1}, 0.7313F), [](Var x, Var y) { return x * y; });
    CHECK(text.exact);
    CHECK(text.equation() == "0.7754 * 0.7313 = 0.56705");
}

TEST_CASE("where only rounding on the way tells why a number is 0, the text does not say it is equal") {
    const ArithmeticText text =
        product_text(Tensor({2}, {109.05F, -19425.078F}), Tensor({2}, {178.13F, 1}), dot);
    CHECK_FALSE(text.exact);
    CHECK(text.equation() == "109.05*178.13 + (-19425.078)*1 ≈ 0");
}
