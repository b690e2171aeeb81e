// Uniform and normal numbers, and dropout. PyTorch draws fewer than 16 normal numbers as pairs of doubles. It
// draws 16 or more in blocks of 16, with single-precision vector functions whose rounding errors are visible
// in the digits.
#include "tensor/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>

#include "tensor/elementwise.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"

namespace attn {

namespace {

constexpr std::uint64_t mkl_modulus = (std::uint64_t{1} << 31) - 1;

void require_probability(double p) {
    if (!(p >= 0.0 && p <= 1.0)) {  // false for NaN, too
        throw Error("[dropout] Expected a probability from 0 to 1 but received {}.", p);
    }
}

constexpr std::size_t block = 16;  // 8 pairs, because an AVX2 vector has 8 lanes

// log of x > 0, from Cephes as avx_mathfun evaluates it. Multiply-adds are fused where GCC fuses them in
// PyTorch's build.
float log_cephes(float x) {
    int exponent = 0;
    float m = std::frexp(x, &exponent);
    auto e = static_cast<float>(exponent);
    if (m < 0.707106781186547524F) {
        e -= 1.0F;
        m = (m - 1.0F) + m;
    } else {
        m -= 1.0F;
    }
    const float z = m * m;
    float y = 7.0376836292e-2F;
    for (const float c : {-1.1514610310e-1F, 1.1676998740e-1F, -1.2420140846e-1F, 1.4249322787e-1F,
                          -1.6668057665e-1F, 2.0000714765e-1F, -2.4999993993e-1F, 3.3333331174e-1F}) {
        y = std::fma(y, m, c);
    }
    y = std::fma(y * m, z, e * -2.12194440e-4F);
    y -= 0.5F * z;
    return std::fma(e, 0.693359375F, m + y);
}

struct SinCos {
    float sin, cos;
};

// sin and cos of x ≥ 0, from Cephes as avx_mathfun evaluates them, with the same fused multiply-adds.
SinCos sincos_cephes(float x) {
    const std::int32_t octant = (static_cast<std::int32_t>(x * 1.27323954473516F) + 1) & ~1;
    const auto y = static_cast<float>(octant);
    for (const float part_of_quarter_pi :
         {-0.78515625F, -2.4187564849853515625e-4F, -3.77489497744594108e-8F}) {
        x = std::fma(y, part_of_quarter_pi, x);
    }
    const float z = x * x;
    float c = 2.443315711809948e-5F;
    c = std::fma(c, z, -1.388731625493765e-3F);
    c = std::fma(c, z, 4.166664568298827e-2F);
    c = std::fma(c * z, z, -0.5F * z) + 1.0F;
    float s = -1.9515295891e-4F;
    s = std::fma(s, z, 8.3321608736e-3F);
    s = std::fma(s, z, -1.6666654611e-1F);
    s = std::fma(s * z, x, x);
    const bool straight = (octant & 2) == 0;
    const float sine = straight ? s : c;
    const float cosine = straight ? c : s;
    return {(octant & 4) != 0 ? -sine : sine, ((octant - 2) & 4) == 0 ? -cosine : cosine};
}

// Turns 16 uniform numbers into 16 normal ones, in place: the first 8 give the radii, the last 8 the angles.
void box_muller(std::span<float> values) {
    for (std::size_t i = 0; i < block / 2; ++i) {
        const float radius = std::sqrt(-2.0F * log_cephes(1.0F - values[i]));
        const auto [sine, cosine] = sincos_cephes(2.0F * std::numbers::pi_v<float> * values[i + block / 2]);
        values[i] = radius * cosine;
        values[i + block / 2] = radius * sine;
    }
}

std::pair<double, double> normal_pair(Generator& generator) {
    const double angle = 2.0 * std::numbers::pi * generator.next_double();
    const double radius = std::sqrt(-2.0 * std::log1p(-generator.next_double()));
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace

double Generator::next_of_pair(std::pair<double, double> (*draw)(Generator&)) {
    if (pending_) {
        return *std::exchange(pending_, std::nullopt);
    }
    const auto [first, second] = draw(*this);
    pending_ = second;
    return first;
}

double Generator::next_double() {
    const std::uint64_t high = next32();
    const std::uint64_t bits = high << 32 | next32();
    constexpr std::uint64_t mask53 = (std::uint64_t{1} << 53) - 1;
    return static_cast<double>(bits & mask53) * 0x1p-53;
}

Tensor rand(Generator& generator, const Shape& shape) {
    Tensor result(shape);
    for (float& value : result.values()) {
        value = static_cast<float>(generator.next32() & 0xffffffU) * 0x1p-24F;
    }
    return result;
}

Tensor uniform(Generator& generator, const Shape& shape, float from, float to) {
    if (!(from <= to)) {
        throw Error("[uniform] Expected a number and one not below it but received {} and {}.", from, to);
    }
    Tensor result = rand(generator, shape);
    for (float& value : result.values()) {
        value = std::fma(value, to - from, from);
    }
    return result;
}

Tensor randn(Generator& generator, const Shape& shape) {
    if (shape.count() < block) {
        Tensor result(shape);
        std::generate(result.values().begin(), result.values().end(),
                      [&] { return static_cast<float>(generator.next_of_pair(normal_pair)); });
        return result;
    }
    Tensor result = rand(generator, shape);
    const std::span<float> values = result.values();
    for (std::size_t start = 0; start + block <= values.size(); start += block) {
        box_muller(values.subspan(start, block));
    }
    if (values.size() % block != 0) {  // randn draws the last 16 numbers again
        const Tensor last = rand(generator, Shape{block});
        std::copy(last.values().begin(), last.values().end(), values.end() - block);
        box_muller(values.last(block));
    }
    return result;
}

KeepDraws::KeepDraws(Generator& generator, DropoutRng rng) : generator_(&generator), rng_(rng) {
    if (rng == DropoutRng::mkl) {
        x_ = generator.next32() % mkl_modulus;
        x_ = x_ == 0 ? 1 : x_;
    }
}

double KeepDraws::next() {
    if (rng_ == DropoutRng::mt19937) {
        return generator_->next_double();
    }
    constexpr std::uint64_t multiplier = 1132489760;
    const double u = static_cast<double>(x_) / static_cast<double>(mkl_modulus);
    x_ = multiplier * x_ % mkl_modulus;
    return u;
}

Tensor keep_mask(Generator& generator, const Shape& shape, double p, DropoutRng rng) {
    require_probability(p);
    if (p == 0.0 || p == 1.0) {
        return full(shape, p == 0.0 ? 1.0F : 0.0F);
    }
    Tensor keep(shape);
    KeepDraws draws(generator, rng);
    for (float& value : keep.values()) {
        value = draws.next() < 1.0 - p ? 1.0F : 0.0F;
    }
    return keep;
}

Tensor dropout(const Tensor& x, const Tensor& keep, double p) {
    require_probability(p);
    if (p == 0.0) {
        return x;
    }
    if (p != 1.0) {
        return mul(x, div(keep, 1.0 - p));
    }
    return mul(x, Tensor());
}

Tensor dropout(Generator& generator, const Tensor& x, double p, DropoutRng rng) {
    return dropout(x, keep_mask(generator, x.shape(), p, rng), p);
}

}  // namespace attn
