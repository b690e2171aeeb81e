// Uniform numbers and dropout; normal numbers have a file of their own.
#include "tensor/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tensor/elementwise.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"

namespace attn {

namespace {

constexpr std::uint64_t mkl_modulus = (std::uint64_t{1} << 31) - 1;

void require_probability(double p) {
    if (!(p >= 0.0 && p <= 1.0)) {  // NaN fails too
        throw Error("[dropout] Expected a probability from 0 to 1 but received {}.", p);
    }
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
