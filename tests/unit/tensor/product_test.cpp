// Products are compared with the sums written out, at every instruction set level and on several threads.
#include "tensor/matmul.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

#include "levels.hpp"
#include "tensor/layout.hpp"
#include "tensor/threads.hpp"

using namespace attn;

namespace {

// Compares the product with one fused multiply-add per term.
void check_product(const Tensor& a, const Tensor& b) {
    const std::size_t m = b.size(1);
    Tensor expected({a.size(0), m});
    for (std::size_t i = 0; i < expected.count(); ++i) {
        float& sum = expected.values()[i];
        for (std::size_t inner = 0; inner < a.size(1); ++inner) {
            sum = std::fma(a.at({i / m, inner}), b.at({inner, i % m}), sum);
        }
    }
    at_every_level([&] {
        for (const std::size_t threads : {1U, 2U, 3U, 5U}) {
            CAPTURE(threads);
            set_num_threads(threads);
            CHECK(identical(matmul(a, b), expected));
        }
    });
    set_num_threads(std::numeric_limits<std::size_t>::max());
    CHECK(num_threads() == 1024);
    CHECK(identical(matmul(a, b), expected));
    set_num_threads(0);
}

}  // namespace

TEST_CASE("a product has the bits of one fused multiply-add per term, at every level and thread count") {
    // The sizes have fewer and more rows and columns than a tile of any level, by one and by many; one and
    // several blocks of the depth; and enough work for threads.
    Generator generator(123);
    for (const auto& sizes : {std::array<std::size_t, 3>{1, 1, 1},
                              {5, 7, 3},
                              {5, 513, 64},
                              {12, 64, 32},
                              {13, 65, 33},
                              {11, 255, 31},
                              {25, 257, 100},
                              {47, 513, 17},
                              {3, 2000, 8},
                              {97, 300, 89},
                              {250, 70, 130}}) {
        CAPTURE(sizes[0]);
        CAPTURE(sizes[1]);
        const Tensor a = randn(generator, {sizes[0], sizes[1]});
        check_product(a, randn(generator, {sizes[1], sizes[2]}));
    }
}

TEST_CASE("what fills up a tile or lies beside it has no effect, not even where numbers are infinite") {
    const Tensor infinite = full({13, 300}, std::numeric_limits<float>::infinity());
    Tensor b({300, 33});
    b.values()[32] = 1.0F;  // the other numbers are 0, and 0 · ∞ is NaN
    check_product(infinite, b);
    check_product(infinite, ones(b.shape()));
}

// torch.full((2, 400), -1.4e-45) @ torch.full((400, 2), 1.4e-45) prints 0., not -0.
TEST_CASE("a product that underflows is 0, not −0") {
    constexpr float smallest = std::numeric_limits<float>::denorm_min();
    at_every_level([&] {
        for (const auto& [n, k, m] : {std::array<std::size_t, 3>{2, 3, 1}, {13, 800, 33}}) {
            CHECK(identical(matmul(full({n, k}, -smallest), full({k, m}, smallest)), Tensor({n, m})));
        }
    });
}
