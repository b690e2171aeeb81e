// Fused attention is compared with a plain loop of the same formulas, one query at a time, and with softmax
// and products one after the other.
#include "attention/fused_attention.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "attention/fused_kernel.hpp"
#include "levels.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/error.hpp"
#include "tensor/exp.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"
#include "tensor/random.hpp"
#include "tensor/softmax.hpp"

using namespace attn;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// (n, d_k), (n, d_k), (n, d_v) → (n, d_v): the formulas at the top of fused_kernel.cpp, one query after the
// other.
Tensor plain_loop(const Tensor& queries, const Tensor& keys, const Tensor& values) {
    const std::size_t d_k = queries.size(1);
    const std::size_t d_v = values.size(1);
    const float factor = 1.0F / std::sqrt(static_cast<float>(d_k));
    Tensor result(values.shape());
    for (std::size_t i = 0; i < queries.size(0); ++i) {
        float* const sums = result.values().data() + i * d_v;
        float maximum = -infinity;
        float total = 0.0F;
        for (std::size_t first = 0; first <= i; first += key_block) {
            std::vector<float> weights;
            float next = maximum;
            for (std::size_t j = first; j < std::min(first + key_block, i + 1); ++j) {
                float score = 0.0F;
                for (std::size_t k = 0; k < d_k; ++k) {
                    score = std::fma(queries.at({i, k}) * factor, keys.at({j, k}), score);
                }
                weights.push_back(score);
                next = score > next ? score : next;
            }
            const float origin = next == -infinity ? 0.0F : next;
            const float alpha = exp(maximum - origin);
            maximum = next;
            total *= alpha;
            for (float& weight : weights) {
                weight = exp(weight - origin);
                total += weight;
            }
            for (std::size_t column = 0; column < d_v; ++column) {
                sums[column] *= alpha;
                for (std::size_t j = 0; j < weights.size(); ++j) {
                    sums[column] = std::fma(weights[j], values.at({first + j, column}), sums[column]);
                }
            }
        }
        for (std::size_t column = 0; column < d_v; ++column) {
            sums[column] /= total;
        }
    }
    return result;
}

Tensor materialised(const Tensor& queries, const Tensor& keys, const Tensor& values) {
    const std::size_t n = keys.size(-2);
    const Tensor scores = matmul(queries, transpose(keys, -2, -1));
    const Tensor masked = masked_fill(scores, triu(ones(Shape{n, n}), 1), -infinity);
    return matmul(softmax(div(masked, std::sqrt(static_cast<double>(keys.size(-1)))), -1), values);
}

float largest_difference(const Tensor& a, const Tensor& b) {
    float largest = 0.0F;
    for (std::size_t i = 0; i < a.count(); ++i) {
        largest = std::max(largest, std::abs(a.values()[i] - b.values()[i]));
    }
    return largest;
}

struct Case {
    std::size_t n, d_k, d_v;
};

// The sizes are one query; less than a tile; and around one vector, one tile of queries, and one and two
// blocks of keys. The widths are below, at and above a tile's rows and a vector.
constexpr Case cases[] = {{1, 1, 1},    {2, 3, 2},    {5, 64, 64},   {12, 8, 32},  {13, 2, 33},
                          {16, 17, 15}, {47, 3, 8},   {48, 4, 9},    {49, 31, 1},  {95, 5, 7},
                          {97, 16, 40}, {383, 3, 5},  {384, 4, 16},  {385, 7, 31}, {396, 2, 65},
                          {480, 9, 64}, {769, 4, 12}, {1000, 3, 10}, {130, 64, 64}};

}  // namespace

TEST_CASE("fused attention has the bits of the plain loop and is the materialised one up to rounding") {
    Generator generator(123);
    std::size_t compared = 0;
    for (const Case& sizes : cases) {
        CAPTURE(sizes.n);
        CAPTURE(sizes.d_k);
        CAPTURE(sizes.d_v);
        const Tensor queries = randn(generator, {sizes.n, sizes.d_k});
        const Tensor keys = randn(generator, {sizes.n, sizes.d_k});
        const Tensor values = randn(generator, {sizes.n, sizes.d_v});
        const Tensor expected = plain_loop(queries, keys, values);
        CHECK(largest_difference(expected, materialised(queries, keys, values)) < 4e-6F);
        at_every_level([&] {
            for (const std::size_t threads : {1U, 2U, 5U}) {
                CAPTURE(threads);
                CHECK(identical(fused_causal_attention(queries, keys, values, 1, threads), expected));
                ++compared;
            }
        });
    }
    CHECK(compared >= std::size(cases) * 3);
}

TEST_CASE("heads side by side are heads in tensors of their own") {
    Generator generator(7);
    const std::size_t batch = 2;
    const std::size_t n = 150;
    const std::size_t heads = 3;
    const auto split = [&](const Tensor& x) {
        return transpose(view(x, {batch, n, heads, x.size(-1) / heads}), 1, 2);
    };
    const Tensor queries = randn(generator, {batch, n, heads * 8});
    const Tensor keys = randn(generator, {batch, n, heads * 8});
    const Tensor values = randn(generator, {batch, n, heads * 5});
    const Tensor expected = fused_causal_attention(split(queries), split(keys), split(values));
    CHECK(identical(split(fused_causal_attention(queries, keys, values, heads)), expected));
}

TEST_CASE("fused attention takes scores of any size as softmax does") {
    // The scores are ±1e38, where exp is finite only because the maximum is subtracted. They are −∞ where the
    // product is beyond float32, in one case only in the first block of keys, in the other everywhere.
    const std::size_t n = 500;
    for (const float size : {1e19F, 3e19F}) {
        for (const std::size_t hidden : {std::size_t{384}, n}) {
            Tensor queries(Shape{n, 1});
            Tensor keys(Shape{n, 1});
            Generator generator(5);
            const Tensor values = randn(generator, {n, 4});
            std::ranges::fill(queries.values(), size);
            std::ranges::fill(keys.values().subspan(0, hidden), -size);
            const Tensor expected = plain_loop(queries, keys, values);
            at_every_level(
                [&] { CHECK(identical(fused_causal_attention(queries, keys, values), expected)); });
            const Tensor plain = materialised(queries, keys, values);
            CHECK(std::isnan(plain.at({0, 0})) == std::isnan(expected.at({0, 0})));
            CHECK(std::isnan(plain.at({n - 1, 0})) == std::isnan(expected.at({n - 1, 0})));
        }
    }
}

TEST_CASE("fused attention refuses shapes that do not fit together") {
    const auto attend = [](const Shape& q, const Shape& k, const Shape& v, std::size_t heads) {
        return fused_causal_attention(Tensor(q), Tensor(k), Tensor(v), heads);
    };
    CHECK(attend({0, 2}, {0, 2}, {0, 3}, 1).shape() == Shape{0, 3});
    CHECK_THROWS_WITH_AS(
        attend({4, 6}, {5, 6}, {5, 6}, 1),
        "[fused_causal_attention] Expected (…, n, d_k), (…, n, d_k) and (…, n, d_v) whose last sizes 1 heads "
        "divide but received (4, 6), (5, 6) and (5, 6).",
        Error);
    CHECK_THROWS_AS(attend({4, 6}, {4, 6}, {5, 6}, 1), Error);
    CHECK_THROWS_AS(attend({6}, {6}, {6}, 1), Error);
    CHECK_THROWS_AS(attend({4, 6}, {4, 6}, {4, 6}, 4), Error);
    CHECK_THROWS_AS(attend({4, 6}, {4, 6}, {4, 6}, 0), Error);
    CHECK_THROWS_AS(attend({4, 6}, {4, 6}, {4, 3}, 2), Error);
    CHECK_THROWS_AS(attend({4, 6}, {4, 6}, {1, 4, 6}, 1), Error);
}
