// Numbers that PyTorch printed, and errors. oracle/arithmetic.py compares sines, cosines, powers and
// rotations with PyTorch bit for bit.
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

TEST_CASE("what does not consist of pairs is not turned, nor by too few angles") {
    const Tensor angles({2, 2});
    CHECK_THROWS_WITH_AS(rotate_halves(Tensor({2, 3}), angles, angles),
                         "[rotate] Expected (…, n, d) and cosines and sines (n, d / 2) but received (2, 3), "
                         "(2, 2) and (2, 2).",
                         Error);
    CHECK_THROWS_AS(rotate_neighbours(Tensor({3, 4}), angles, angles), Error);
}
