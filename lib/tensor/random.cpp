// The engine, uniform numbers and dropout; normal numbers have a file of their own.
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

std::uint32_t tempered(std::uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    return y ^ (y >> 18);
}

void require_probability(double p) {
    if (!(p >= 0.0 && p <= 1.0)) {  // NaN fails too
        throw Error("[dropout] Expected a probability from 0 to 1 but received {}.", p);
    }
}

}  // namespace

Generator::Generator(std::uint64_t seed) : seed_(seed) {
    state_[0] = static_cast<std::uint32_t>(seed);
    for (std::uint32_t i = 1; i < length; ++i) {
        state_[i] = 1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
    }
}

// The state up to `end` as it is in this round.
void Generator::twist(std::size_t end) {
    constexpr std::size_t ahead = 397;
    const auto one = [&](std::size_t i, std::size_t next, std::size_t from) {
        const std::uint32_t y = (state_[i] & 0x80000000U) | (state_[next] & 0x7fffffffU);
        state_[i] = state_[from] ^ (y >> 1) ^ ((y & 1U) * 0x9908b0dfU);
    };
    // The indices run modulo the length, in pieces without a division.
    for (const std::size_t stop = std::min(end, length - ahead); twisted_ < stop; ++twisted_) {
        one(twisted_, twisted_ + 1, twisted_ + ahead);
    }
    for (const std::size_t stop = std::min(end, length - 1); twisted_ < stop; ++twisted_) {
        one(twisted_, twisted_ + 1, twisted_ + ahead - length);
    }
    if (twisted_ < end) {
        one(length - 1, 0, ahead - 1);
        twisted_ = length;
    }
}

void Generator::refill() {
    twist(length);
    next_ = 0;
    twisted_ = 0;
    ++refills_;
}

// Of one that is seeded only for a few numbers, which tries of a thousand seeds are, most is never needed.
void Generator::twist_more() {
    if (next_ == length) {
        refill();
    }
    constexpr std::size_t few = 32;
    twist(refills_ == 1 ? std::min(next_ + few, length) : length);
}

std::uint32_t Generator::next32() {
    if (next_ >= twisted_) {
        twist_more();
    }
    return tempered(state_[next_++]);
}

void Generator::next32(std::span<std::uint32_t> numbers) {
    while (!numbers.empty()) {
        if (next_ >= twisted_) {
            twist_more();
        }
        const std::span ready = std::span(state_).subspan(next_, std::min(numbers.size(), twisted_ - next_));
        std::ranges::transform(ready, numbers.begin(), tempered);
        next_ += ready.size();
        numbers = numbers.subspan(ready.size());
    }
}

double Generator::next_of_pair(std::pair<double, double> (*draw)(Generator&)) {
    if (second_) {
        return *std::exchange(second_, std::nullopt);
    }
    const auto [first, second] = draw(*this);
    second_ = second;
    return first;
}

void Generator::discard(std::uint64_t count) {
    while (count > length - next_) {
        count -= length - next_;
        refill();
    }
    next_ += static_cast<std::size_t>(count);
}

bool Generator::move_to(std::uint64_t drawn) {
    const std::uint64_t remembered = refills_ == 0 ? 0 : (refills_ - 1) * length;  // drawn before these
    if (drawn < remembered) {
        return false;
    }
    second_.reset();
    if (drawn < this->drawn()) {
        next_ = static_cast<std::size_t>(drawn - remembered);
    } else {
        discard(drawn - this->drawn());
    }
    return true;
}

double Generator::next_double() {
    const std::uint64_t high = next32();
    const std::uint64_t bits = high << 32 | next32();
    constexpr std::uint64_t mask53 = (std::uint64_t{1} << 53) - 1;
    return static_cast<double>(bits & mask53) * 0x1p-53;
}

Tensor rand(Generator& generator, const Shape& shape) {
    Tensor result(shape);
    std::array<std::uint32_t, 512> draws;
    for (std::span<float> rest = result.values(); !rest.empty();) {
        const std::span some(draws.data(), std::min(draws.size(), rest.size()));
        generator.next32(some);
        std::ranges::transform(some, rest.begin(), [](std::uint32_t draw) {
            return static_cast<float>(static_cast<std::int32_t>(draw & 0xffffffU)) * 0x1p-24F;
        });
        rest = rest.subspan(some.size());
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
