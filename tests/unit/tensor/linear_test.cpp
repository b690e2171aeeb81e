// The linear layer: its random parameters, its result, and its errors. Golden bits come from PyTorch 1.13, as
// in random_test.cpp.
#include "tensor/matmul.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "bits.hpp"
#include "levels.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"

using attn::bits;
using attn::Generator;
using attn::Linear;
using attn::Shape;
using attn::Tensor;

TEST_CASE("a linear layer draws its weight, then its bias") {
    // torch.manual_seed(789); layer = torch.nn.Linear(3, 2); bits(layer.weight); bits(layer.bias)
    const std::string golden_weight = "3ea1d27f 3ee9e2d0 3f03079c be2c5302 beacfe38 bdbbf3f0";
    Generator generator(789);
    const Linear with_bias(generator, 3, 2);
    CHECK(with_bias.weight().shape() == Shape{2, 3});
    CHECK(bits(with_bias.weight()) == golden_weight);
    REQUIRE(with_bias.bias());
    CHECK(with_bias.bias()->shape() == Shape{2});
    CHECK(bits(*with_bias.bias()) == "3ecfc5c8 bef0daf6");

    // torch.nn.Linear(3, 2, bias=False): the same weight, and no draws after it
    Generator plain(789);
    const Linear without_bias(plain, 3, 2, false);
    CHECK(bits(without_bias.weight()) == golden_weight);
    CHECK_FALSE(without_bias.bias());
    CHECK(plain.next32() != generator.next32());

    Generator other_seed(790);
    CHECK(bits(Linear(other_seed, 3, 2, false).weight()) != golden_weight);
}

TEST_CASE("the numbers of a linear layer stay within one over the root of its inputs") {
    for (const std::size_t in : {1U, 3U, 512U}) {
        Generator generator(in);
        const Linear layer(generator, in, 1000);
        const double bound = 1.0 / std::sqrt(static_cast<double>(in));
        double largest = 0.0;
        for (const float value : layer.weight().values()) {
            largest = std::max(largest, std::abs(static_cast<double>(value)));
        }
        CHECK(largest <= bound * (1 + 1e-7));
        CHECK(largest > bound * 0.99);
    }
}

TEST_CASE("a linear layer multiplies by its weight and adds its bias to each row, whatever the rank") {
    Generator generator(1);
    for (const Shape& shape :
         {Shape{7}, Shape{4, 7}, Shape{2, 4, 7}, Shape{2, 3, 4, 7}, Shape{0, 7}, Shape{300, 7}}) {
        CAPTURE(shape.text());
        const Tensor x = randn(generator, shape);
        for (const std::size_t d_out : {0U, 1U, 5U, 100U}) {
            const Linear layer(generator, 7, d_out);
            const Tensor product = matmul(x, transpose(layer.weight(), 0, 1));
            CHECK(identical(layer(x), add(product, *layer.bias())));
            CHECK(identical(Linear(layer.weight())(x), product));
            CHECK(identical(Linear(layer.weight(), layer.bias())(x), layer(x)));
        }
    }
    // torch.nn.Linear(0, 2)(torch.ones(3, 0)), where PyTorch draws the bias from ±0
    CHECK(identical(Linear(generator, 0, 2)(Tensor(Shape{3, 0})), Tensor(Shape{3, 2})));
}

TEST_CASE("a linear layer has the bits of a product by its transposed weight, at every level") {
    attn::Generator generator(2);
    const std::size_t d_in = 600;  // more terms than are packed at a time
    const Linear layer(generator, d_in, 183);
    for (const Shape& shape : {Shape{d_in}, Shape{1, d_in}, Shape{5, d_in}, Shape{2, 7, d_in},
                               Shape{200, d_in}, Shape{0, d_in}, Shape{2, 0, d_in}}) {
        CAPTURE(shape.text());
        const Tensor x = randn(generator, shape);
        const Tensor product = matmul(x, transpose(layer.weight(), 0, 1));
        attn::at_every_level([&] {
            CHECK(identical(layer(x), add(product, *layer.bias())));
            CHECK(identical(Linear(layer.weight())(x), product));
        });
    }
}

TEST_CASE("a linear layer refuses what has another width, and parameters that do not fit together") {
    Generator generator(1);
    const Linear layer(generator, 3, 2);
    CHECK_THROWS_WITH_AS(layer(Tensor(Shape{3, 2})), "[Linear] Expected (…, 3) but received (3, 2).",
                         attn::Error);
    CHECK_THROWS_WITH_AS(layer(Tensor()), "[Linear] Expected (…, 3) but received ().", attn::Error);
    CHECK_THROWS_WITH_AS(
        Linear(Tensor(Shape{3})),
        "[Linear] Expected a weight (d_out, d_in) and a bias (d_out,) but received (3,) and no bias.",
        attn::Error);
    CHECK_THROWS_WITH_AS(
        Linear(Tensor(Shape{3, 2}), Tensor(Shape{2})),
        "[Linear] Expected a weight (d_out, d_in) and a bias (d_out,) but received (3, 2) and (2,).",
        attn::Error);
    CHECK_THROWS_AS(Linear(Tensor(Shape{3, 2}), Tensor(Shape{3, 1})), attn::Error);
}
