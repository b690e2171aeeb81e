// Steps that say whether two computations agree, and the names in which a number occurs.
#include <doctest/doctest.h>

#include <limits>

#include "notebook/ops.hpp"
#include "notebook/render.hpp"
#include "text/numbered.hpp"

using attn::Notebook;
using attn::Shape;
using attn::Tensor;
using attn::Var;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

float agreement(std::vector<float> a, std::vector<float> b) {
    Notebook nb;
    const Shape shape{a.size()};
    const Var x = nb.line("x", nb.given(Tensor(shape, std::move(a))));
    const Var y = nb.line("y", nb.given(Tensor(shape, std::move(b))));
    return agree(x, y).value().values()[0];
}

}  // namespace

TEST_CASE("two tensors agree up to a hundred-thousandth of the largest number, of either sign") {
    CHECK(agreement({100.0F, 1.0F}, {100.0F, 1.0F}) == 1.0F);
    CHECK(agreement({100.0F, 1.0009F}, {100.0F, 1.0F}) == 1.0F);
    CHECK(agreement({100.0F, 1.0011F}, {100.0F, 1.0F}) == 0.0F);
    CHECK(agreement({-100.0F, 0.9991F}, {-100.0F, 1.0F}) == 1.0F);
    CHECK(agreement({-100.0F, 0.9989F}, {-100.0F, 1.0F}) == 0.0F);
    CHECK(agreement({0.0F}, {0.0F}) == 1.0F);
    CHECK(agreement({1e-30F}, {0.0F}) == 0.0F);
    CHECK(agreement({1.0F, not_a_number}, {1.0F, not_a_number}) == 0.0F);
}

TEST_CASE("no gradient passes through a comparison") {
    Notebook nb;
    const Var x = nb.line("x", parameter(nb.given(Tensor(Shape{}, {-2.0F}))));
    const Var y = nb.line("y", x * attn::literal(2.0));
    const Var agreed = nb.line("agreed", agree(y, x));
    CHECK(nb.nodes()[y.id].grad_fn == "MulBackward0");
    CHECK_FALSE(nb.nodes()[agreed.id].requires_grad);
    CHECK(nb.nodes()[agreed.id].grad_fn.empty());
    CHECK(statement(nb, agreed.id, attn::Language::torch) ==
          "agreed = ((y - x).abs().amax() <= x.abs().amax() * 1e-05).float()");
}

TEST_CASE("names that differ in a number mean the same") {
    CHECK(attn::without_number("attn_weights_12_tmp") == "attn_weights_#_tmp");
    CHECK(attn::without_number("queries") == "queries");
    CHECK(attn::without_number("2_heads_3") == "#_heads_3");
}
