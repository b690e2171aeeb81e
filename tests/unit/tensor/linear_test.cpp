// The linear layer: its result and its errors. oracle/arithmetic.py compares its random parameters with
// PyTorch's.
#include "tensor/matmul.hpp"

#include <doctest/doctest.h>

#include "levels.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"

using namespace attn;

TEST_CASE("a linear layer has the bits of a product by its transposed weight, at every level and rank") {
    Generator generator(2);
    constexpr std::size_t d_in = 600;  // more terms than are packed at a time
    const Linear layer(generator, d_in, 183);
    for (const Shape& shape : {Shape{d_in}, Shape{1, d_in}, Shape{5, d_in}, Shape{2, 7, d_in},
                               Shape{2, 3, 4, d_in}, Shape{200, d_in}, Shape{0, d_in}, Shape{2, 0, d_in}}) {
        CAPTURE(shape.text());
        const Tensor x = randn(generator, shape);
        const Tensor product = matmul(x, transpose(layer.weight(), 0, 1));
        at_every_level([&] {
            CHECK(identical(layer(x), add(product, *layer.bias())));
            CHECK(identical(Linear(layer.weight())(x), product));
        });
    }
    // torch.nn.Linear(0, 2)(torch.ones(3, 0)), where PyTorch draws the bias from ±0
    CHECK(identical(Linear(generator, 0, 2)(Tensor({3, 0})), Tensor({3, 2})));
    CHECK(Linear(generator, 7, 0)(Tensor({4, 7})).shape() == Shape{4, 0});
}

TEST_CASE("a linear layer refuses what has another width, and parameters that do not fit together") {
    Generator generator(1);
    const Linear layer(generator, 3, 2);
    CHECK_THROWS_WITH_AS(layer(Tensor({3, 2})), "[Linear] Expected (…, 3) but received (3, 2).", Error);
    CHECK_THROWS_AS(layer(Tensor()), Error);
    CHECK_THROWS_WITH_AS(
        Linear(Tensor({3})),
        "[Linear] Expected a weight (d_out, d_in) and a bias (d_out,) but received (3,) and no bias.", Error);
    CHECK_THROWS_AS(Linear(Tensor({3, 2}), Tensor({2})), Error);
    CHECK_THROWS_AS(Linear(Tensor({3, 2}), Tensor({3, 1})), Error);
}
