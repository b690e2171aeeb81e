// The two compilations of the product loop against each other and against the sum written out.
#include "tensor/product.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tensor/random.hpp"

namespace {

std::vector<float> product(attn::Product kernel, const attn::Tensor& a, const attn::Tensor& b) {
    const attn::ProductSizes sizes{a.size(0), a.size(1), b.size(1)};
    std::vector<float> c(sizes.n * sizes.m);
    kernel(a.values().data(), b.values().data(), c.data(), sizes);
    return c;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(b[i])) {
            return false;
        }
    }
    return a.size() == b.size();
}

}  // namespace

TEST_CASE("every compilation of the product gives the bits of one fused multiply-add per term") {
    attn::Generator generator(123);
    for (const std::size_t k : {1U, 7U, 64U, 513U}) {
        for (const std::size_t m : {1U, 3U, 8U, 9U, 31U, 64U}) {
            const attn::Tensor a = randn(generator, {5, k});
            const attn::Tensor b = randn(generator, {k, m});
            std::vector<float> expected(5 * m);
            for (std::size_t i = 0; i < expected.size(); ++i) {
                for (std::size_t inner = 0; inner < k; ++inner) {
                    expected[i] = std::fma(a.at({i / m, inner}), b.at({inner, i % m}), expected[i]);
                }
            }
            CAPTURE(k);
            CAPTURE(m);
            CHECK(same_bits(product(attn::portable_product, a, b), expected));
            CHECK(same_bits(product(attn::fastest_product(), a, b), expected));
        }
    }
}
