// Numbers that PyTorch printed, and rotations by their definition. oracle/arithmetic.py compares sines,
// cosines and powers with PyTorch bit for bit.
#include "tensor/trigonometry.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "bits.hpp"
#include "tensor/error.hpp"

using namespace attn;

// With one large number, PyTorch reduces the whole vector differently: torch.cos(torch.tensor([x, 130.]))
TEST_CASE("a large number changes the bits of those beside it, and −0 and infinity are as in PyTorch") {
    constexpr float near = 85.0987167F;
    CHECK(cos(Tensor({1}, {near})).values()[0] == -0.962230742F);
    CHECK(cos(Tensor({2}, {near, 130})).values()[0] == -0.962230802F);
    CHECK(bits(sin(Tensor({1}, {-0.0F}))) == "80000000");
    CHECK(std::isnan(cos(Tensor({1}, {HUGE_VALF})).values()[0]));
}

TEST_CASE("a quarter turn makes the first of a pair the second, and the second the first, negated") {
    const Tensor x({2, 4}, {1, 2, 3, 4, 1, 2, 3, 4}), cos({2, 2}, {1, 1, 0, 1}), sin({2, 2}, {0, 0, 1, 0});
    CHECK(identical(rotate_halves(x, cos, sin), Tensor({2, 4}, {1, 2, 3, 4, -3, 2, 1, 4})));
    CHECK(identical(rotate_neighbours(x, cos, sin), Tensor({2, 4}, {1, 2, 3, 4, -2, 1, 3, 4})));
    CHECK_THROWS_WITH_AS(rotate_halves(Tensor({2, 3}), cos, sin),
                         "[rotate] Expected (…, n, d) and cosines and sines (n, d / 2) but received (2, 3), "
                         "(2, 2) and (2, 2).",
                         Error);
    CHECK_THROWS_AS(rotate_neighbours(Tensor({3, 4}), cos, sin), Error);
}
