// Elementwise operations and triangles. oracle/extremes.py compares matrices with PyTorch bit for bit.
#include "tensor/elementwise.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <utility>

#include "bits.hpp"
#include "draws.hpp"
#include "refusal.hpp"
#include "special.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"

using namespace attn;

TEST_CASE("shapes that do not align at the last axis are refused") {
    const std::pair<Tensor (*)(const Tensor&, const Tensor&), std::string_view> rows[] = {
        {add, "add"}, {sub, "sub"}, {mul, "mul"}, {div, "div"}};
    for (const auto& row : rows) {
        CHECK(refusal_of([&] {
                  row.first(Tensor({2, 3}), Tensor({2}));
              }) ==
              fmt::format("[{}] Expected shapes that broadcast but received (2, 3) and (2,).", row.second));
    }
}

TEST_CASE("a number is rounded to float32 before it divides") {
    // torch.tensor([1., 7.]) / 2**0.5
    const Tensor x({2}, {1, 7});
    CHECK(identical(div(x, std::sqrt(2.0)), div(x, full({}, 1.41421354F))));
}

TEST_CASE("a mask fills where it is not 0, and NaN counts as filled") {
    const Tensor x = counted({2, 3});
    CHECK(identical(masked_fill(x, Tensor({2, 3}, {0, 1, 0, -2, 0, not_a_number}), -inf),
                    Tensor({2, 3}, {1, -inf, 3, -inf, 5, -inf})));
    CHECK_THROWS_WITH_AS(masked_fill(Tensor({3}), x, 0),
                         "[masked_fill] Expected a mask that broadcasts to (3,) but received (2, 3).", Error);
    CHECK_THROWS_WITH_AS(masked_fill(x, Tensor({2}), 0),
                         "[masked_fill] Expected shapes that broadcast but received (2, 3) and (2,).", Error);
}

TEST_CASE("a number other than 0 is true, NaN and infinities included") {
    const Tensor x({6}, {0, -0.0F, 1e-45F, -1, inf, not_a_number});
    CHECK(digits(ne(x, 0)) == "001111");
    CHECK(digits(eq(x, 0)) == "110000");
    CHECK(digits(ne(x, -1)) == "111011");
}

TEST_CASE("triangles keep what lies on their side of the diagonal, in each matrix, and make the rest 0") {
    const Tensor x = counted({2, 2, 3, 2});
    for (int diagonal = -6; diagonal <= 6; ++diagonal) {
        const Tensor lower = tril(x, diagonal);
        CHECK(identical(add(lower, triu(x, diagonal + 1)), x));
        CHECK(identical(select(lower, {1, 0}), tril(select(x, {1, 0}), diagonal)));
    }
    CHECK_THROWS_WITH_AS(tril(Tensor({3})), "[tril] Expected at least 2 dimensions but received (3,).",
                         Error);
    CHECK_THROWS_WITH_AS(triu(Tensor()), "[triu] Expected at least 2 dimensions but received ().", Error);
}

// torch.maximum of fewer than 16 numbers
TEST_CASE("of two numbers the larger is taken, NaN before all others, and of 0 and −0 the first") {
    CHECK(bits(maximum(Tensor({6}, {1, 2, not_a_number, 1, 0.0F, -0.0F}),
                       Tensor({6}, {3, -1, 1, not_a_number, -0.0F, 0.0F}))) ==
          "40400000 40000000 7fc00000 7fc00000 00000000 80000000");
}
