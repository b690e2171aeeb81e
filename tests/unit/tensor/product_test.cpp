// Products are compared with the sums written out, at every instruction set level and on several threads.
#include "tensor/matmul.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

#include "levels.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "tensor/random.hpp"
#include "tensor/threads.hpp"

using attn::Shape;
using attn::Tensor;

namespace {

Tensor product(const Tensor& a, const Tensor& b, std::size_t threads) {
    attn::set_num_threads(threads);
    const Tensor sums = attn::matmul(a, b);
    attn::set_num_threads(0);
    return sums;
}

Tensor naive_product(const Tensor& a, const Tensor& b) {
    Tensor sums(Shape{a.size(0), b.size(1)});
    const std::size_t m = b.size(1);
    for (std::size_t i = 0; i < sums.count(); ++i) {
        for (std::size_t inner = 0; inner < a.size(1); ++inner) {
            sums.values()[i] = std::fma(a.at({i / m, inner}), b.at({inner, i % m}), sums.values()[i]);
        }
    }
    return sums;
}

}  // namespace

TEST_CASE("a product has the bits of one fused multiply-add per term, at every level and thread count") {
    struct Case {
        std::size_t n, k, m;
    };
    // The sizes have fewer and more rows and columns than a tile of any level, by one and by many; one and
    // several blocks of the depth; and enough work for threads.
    const Case cases[] = {{1, 1, 1},    {5, 7, 3},     {5, 513, 64},  {6, 300, 9},    {12, 64, 32},
                          {13, 65, 33}, {11, 255, 31}, {24, 256, 96}, {25, 257, 100}, {47, 513, 17},
                          {3, 2000, 8}, {97, 300, 89}, {250, 70, 130}};
    attn::Generator generator(123);
    std::size_t compared = 0;
    for (const Case& sizes : cases) {
        const std::size_t n = sizes.n;
        const std::size_t k = sizes.k;
        const std::size_t m = sizes.m;
        const Tensor a = randn(generator, {n, k});
        const Tensor b = randn(generator, {k, m});
        const Tensor expected = naive_product(a, b);
        CAPTURE(n);
        CAPTURE(k);
        CAPTURE(m);
        attn::at_every_level([&] {
            for (const std::size_t threads : {1U, 2U, 3U, 5U}) {
                CAPTURE(threads);
                CHECK(attn::identical(product(a, b, threads), expected));
                compared += expected.count();
            }
        });
    }
    CHECK(compared >= 4 * (1 + 15 + 320 + 54 + 384 + 429 + 341 + 2304 + 2500 + 799 + 24 + 8633 + 32500));
}

TEST_CASE("what fills up a tile touches nothing, not even where numbers are infinite") {
    Tensor a(Shape{13, 300});
    Tensor b(Shape{300, 33});
    for (float& value : a.values()) {
        value = std::numeric_limits<float>::infinity();
    }
    b.values()[32] = 1.0F;  // the other numbers are 0, and 0 · ∞ is NaN
    const Tensor expected = naive_product(a, b);
    attn::at_every_level([&] { CHECK(attn::identical(product(a, b, 2), expected)); });

    // Numbers beside the tile must not have an effect either: ∞ plus NaN is NaN.
    const Tensor ones = attn::ones(b.shape());
    const Tensor infinite = naive_product(a, ones);
    attn::at_every_level([&] { CHECK(attn::identical(product(a, ones, 2), infinite)); });
}

// torch.full((2, 400), -1.4e-45) @ torch.full((400, 2), 1.4e-45) prints 0., not -0.
TEST_CASE("a product that underflows is 0, not −0") {
    constexpr float smallest = std::numeric_limits<float>::denorm_min();
    attn::at_every_level([&] {
        for (const auto& [n, k, m] : {std::array<std::size_t, 3>{2, 3, 1}, {13, 800, 33}}) {
            const Tensor c = product(attn::full({n, k}, -smallest), attn::full({k, m}, smallest), 2);
            CHECK(attn::identical(c, Tensor(Shape{n, m})));
        }
    });
}

TEST_CASE("however many threads are asked for, a product is the same") {
    attn::Generator generator(9);
    const Tensor a = randn(generator, {200, 120});
    const Tensor b = randn(generator, {120, 140});
    const Tensor expected = naive_product(a, b);
    for (const std::size_t threads :
         {std::size_t{1}, std::size_t{1000}, std::numeric_limits<std::size_t>::max()}) {
        attn::set_num_threads(threads);
        CHECK(attn::num_threads() <= 1024);
        CHECK(identical(attn::matmul(a, b), expected));
    }
    attn::set_num_threads(0);
}
