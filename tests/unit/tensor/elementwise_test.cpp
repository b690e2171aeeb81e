// Elementwise operations and broadcasting; triangles and transposition. oracle/extremes.py compares matrices
// with PyTorch bit for bit.
#include "tensor/elementwise.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "bits.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"

using namespace attn;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

// Returns 1, 2, 3, ….
Tensor counted(const Shape& shape) {
    Tensor x(shape);
    std::iota(x.values().begin(), x.values().end(), 1.0F);
    return x;
}

}  // namespace

TEST_CASE("shapes align at the last axis, an axis of size 1 serves every index, and others are refused") {
    struct Operation {
        Tensor (*call)(const Tensor&, const Tensor&);
        std::string name;
        float of_6_and_2;
    };
    for (const Operation& one :
         {Operation{add, "add", 8}, {sub, "sub", 4}, {mul, "mul", 12}, {div, "div", 3}}) {
        CHECK(one.call(full({}, 6), full({}, 2)).values()[0] == one.of_6_and_2);
        for (const auto& shapes : {std::array<Shape, 3>{Shape{3}, {3}, {3}},
                                   {Shape{2, 3}, {3}, {2, 3}},
                                   {Shape{3}, {2, 1}, {2, 3}},
                                   {Shape{}, {2, 3}, {2, 3}},
                                   {Shape{2, 1, 1, 3}, {2, 3}, {2, 1, 2, 3}}}) {
            const Tensor x = counted(shapes[0]), y = counted(shapes[1]), all = one.call(x, y);
            REQUIRE(all.shape() == shapes[2]);
            for (std::size_t i = 0; i < all.count(); ++i) {
                const auto operand = [&](const Tensor& of) {
                    return full({}, of.at(broadcast_index(of.shape(), all.shape(), all.index(i))));
                };
                CHECK(all.values()[i] == one.call(operand(x), operand(y)).values()[0]);
            }
        }
        const std::string message =
            "[" + one.name + "] Expected shapes that broadcast but received (2, 3) and (2,).";
        CHECK_THROWS_WITH_AS(one.call(Tensor({2, 3}), Tensor({2})), message.c_str(), Error);
    }
    CHECK(identical(add(Tensor({2, 1}, {100, 200}), counted({3})),
                    Tensor({2, 3}, {101, 102, 103, 201, 202, 203})));
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

TEST_CASE("transposing exchanges two axes, and twice is the identity") {
    const Tensor x = counted({2, 3, 4, 5});
    for (int a = -4; a < 4; ++a) {
        for (int b = -4; b < 4; ++b) {
            const Tensor once = transpose(x, a, b);
            CHECK(identical(transpose(once, a, b), x));
            CHECK(identical(transpose(x, b, a), once));
            CHECK(once.size(a) == x.size(b));
        }
    }
    CHECK(transpose(x, 1, 2).at({1, 3, 2, 4}) == x.at({1, 2, 3, 4}));
    CHECK(transpose(Tensor({0, 3, 4}), 0, 2).shape() == Shape{4, 3, 0});
}

// torch.maximum of fewer than 16 numbers
TEST_CASE("of two numbers the larger is taken, NaN before all others, and of 0 and −0 the first") {
    CHECK(bits(maximum(Tensor({6}, {1, 2, not_a_number, 1, 0.0F, -0.0F}),
                       Tensor({6}, {3, -1, 1, not_a_number, -0.0F, 0.0F}))) ==
          "40400000 40000000 7fc00000 7fc00000 00000000 80000000");
}
