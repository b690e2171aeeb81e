// Sines, cosines and powers are compared with double precision, and rotations with their definition. The
// oracle compares their bits with PyTorch's.
#include "tensor/trigonometry.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tensor/error.hpp"

using namespace attn;

TEST_CASE("sines and cosines are those of double precision, near and far, at any place of a vector") {
    Tensor x(Shape{2000});
    for (std::size_t i = 0; i < x.count(); ++i) {
        const double far = i % 3 == 0 ? 1.0 : i % 3 == 1 ? 90.0 : 1e6;
        x.values()[i] = static_cast<float>(std::sin(static_cast<double>(i) * 1.7) * far);
    }
    const Tensor sines = sin(x);
    const Tensor cosines = cos(x);
    for (std::size_t i = 0; i < x.count(); ++i) {
        const auto angle = static_cast<double>(x.values()[i]);
        CHECK(std::fabs(static_cast<double>(sines.values()[i]) - std::sin(angle)) <= 6.1e-8);
        CHECK(std::fabs(static_cast<double>(cosines.values()[i]) - std::cos(angle)) <= 6.1e-8);
    }
}

// import torch; x = torch.tensor([0., 1., 2., 3.14159274, 126.]); torch.sin(x); torch.cos(x), and 10000 ** (x
// / 4)
TEST_CASE("sines, cosines and powers have the bits PyTorch gives them") {
    const Tensor x(Shape{5}, {0.0F, 1.0F, 2.0F, 3.14159274F, 126.0F});
    CHECK(sin(x).values()[1] == 0.841470957F);
    CHECK(sin(x).values()[4] == 0.329990834F);
    CHECK(cos(x).values()[1] == 0.540302336F);
    CHECK(cos(x).values()[3] == -1.0F);
    CHECK(std::signbit(sin(Tensor(Shape{1}, {-0.0F})).values()[0]));
    CHECK(std::isnan(cos(Tensor(Shape{1}, {std::numeric_limits<float>::infinity()})).values()[0]));
    // With one large number, PyTorch reduces the whole vector differently: torch.cos(torch.tensor([x, 130.]))
    constexpr float near = 85.0987167F;
    CHECK(cos(Tensor(Shape{1}, {near})).values()[0] == -0.962230742F);
    CHECK(cos(Tensor(Shape{2}, {near, 130})).values()[0] == -0.962230802F);
    Tensor exponents(Shape{32});
    for (std::size_t i = 0; i < 32; ++i) {
        exponents.values()[i] = static_cast<float>(i) / 32.0F;
    }
    const Tensor powers = pow(10000.0, exponents);
    CHECK(powers.values()[0] == 1.0F);
    for (std::size_t i = 0; i < 32; ++i) {
        CHECK(static_cast<double>(powers.values()[i]) ==
              doctest::Approx(std::pow(10000.0, static_cast<double>(i) / 32.0)).epsilon(1e-7));
    }
}

TEST_CASE("a quarter turn makes the first of a pair the second, and the second the first, negated") {
    const Tensor x(Shape{2, 4}, {1, 2, 3, 4, 1, 2, 3, 4});
    const Tensor cos(Shape{2, 2}, {1, 1, 0, 1});
    const Tensor sin(Shape{2, 2}, {0, 0, 1, 0});
    const auto numbers = [](const Tensor& of) {
        return std::vector<float>(of.values().begin(), of.values().end());
    };
    CHECK(numbers(rotate_halves(x, cos, sin)) == std::vector<float>{1, 2, 3, 4, -3, 2, 1, 4});
    CHECK(numbers(rotate_neighbours(x, cos, sin)) == std::vector<float>{1, 2, 3, 4, -2, 1, 3, 4});
    CHECK_THROWS_WITH_AS(rotate_halves(Tensor(Shape{2, 3}), cos, sin),
                         "[rotate] Expected (…, n, d) and cosines and sines (n, d / 2) but received (2, 3), "
                         "(2, 2) and (2, 2).",
                         Error);
    CHECK_THROWS_AS(rotate_neighbours(Tensor(Shape{3, 4}), cos, sin), Error);
}
