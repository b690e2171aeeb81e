// Transcribed from numpy/random/bit_generator.pyx (SeedSequence), src/pcg64/pcg64.h and
// src/distributions/distributions.c. The tables of the ziggurat method are computed, not copied.
#include "tensor/pcg64.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

#include "tensor/strided.hpp"

namespace attn::numpy {

namespace {

// Mixes numbers so that similar seeds give different states.
class Mixer {
public:
    Mixer(std::uint32_t first, std::uint32_t factor) : constant_(first), factor_(factor) {}

    std::uint32_t operator()(std::uint32_t value) {
        value ^= constant_;
        constant_ *= factor_;
        value *= constant_;
        return value ^ value >> 16U;
    }

private:
    std::uint32_t constant_;
    std::uint32_t factor_;
};

// np.random.SeedSequence(seed).generate_state(8)
std::array<std::uint32_t, 8> spread(std::uint64_t seed) {
    std::array<std::uint32_t, 4> pool{static_cast<std::uint32_t>(seed),
                                      static_cast<std::uint32_t>(seed >> 32U)};
    Mixer mix(0x43b0d7e5, 0x931e8875);
    std::ranges::transform(pool, pool.begin(), [&](std::uint32_t word) { return mix(word); });
    for (std::size_t from = 0; from < pool.size(); ++from) {
        for (std::size_t to = 0; to < pool.size(); ++to) {
            if (from != to) {
                const std::uint32_t mixed = 0xca01f9ddU * pool.at(to) - 0x4973f715U * mix(pool.at(from));
                pool.at(to) = mixed ^ mixed >> 16U;
            }
        }
    }
    std::array<std::uint32_t, 8> words{};
    Mixer next(0x8b51f9dd, 0x58f38ded);
    for (std::size_t i = 0; i < words.size(); ++i) {
        words.at(i) = next(pool.at(i % pool.size()));
    }
    return words;
}

// The high 64 bits of a product.
std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t low = 0xffffffff;
    const std::uint64_t middle = (a >> 32U) * (b & low) + ((a & low) * (b & low) >> 32U);
    const std::uint64_t other = (a & low) * (b >> 32U) + (middle & low);
    return (a >> 32U) * (b >> 32U) + (middle >> 32U) + (other >> 32U);
}

// The normal density in 255 layers of equal area; the layer 0 includes the tail, which begins at `tail`.
constexpr double tail = 3.6541528853610087963519472518;
struct Ziggurat {
    std::array<std::uint64_t, 256> inner{};  // below this, a number is within the density
    std::array<double, 256> width{};
    std::array<double, 256> height{};

    Ziggurat() {
        constexpr double most = 0x1p52;
        const auto density = [](double x) { return std::exp(-0.5 * x * x); };
        const double area =
            tail * density(tail) + std::sqrt(std::acos(0.0)) * std::erfc(tail / std::sqrt(2.0));
        double x = tail;
        inner[0] = static_cast<std::uint64_t>(x * density(x) / area * most);
        width[0] = area / density(x) / most;
        height[0] = 1.0;
        for (std::size_t i = 255; i > 0; --i) {
            width.at(i) = x / most;
            height.at(i) = density(x);
            const double next = i > 1 ? std::sqrt(-2.0 * std::log(area / x + density(x))) : 0.0;
            inner.at(i) = static_cast<std::uint64_t>(next / x * most);
            x = next;
        }
    }
};

double next_normal(Pcg64& generator) {
    static const Ziggurat ziggurat;
    while (true) {
        const std::uint64_t bits = generator.next64();
        const std::size_t layer = bits & 0xffU;
        const std::uint64_t place = bits >> 9U & 0xfffffffffffffU;
        const double x =
            static_cast<double>(place) * ziggurat.width.at(layer) * ((bits & 0x100U) != 0 ? -1.0 : 1.0);
        if (place < ziggurat.inner.at(layer)) {
            return x;
        }
        if (layer > 0) {
            const double step = ziggurat.height.at(layer - 1) - ziggurat.height.at(layer);
            if (step * generator.next_double() + ziggurat.height.at(layer) < std::exp(-0.5 * x * x)) {
                return x;
            }
            continue;
        }
        double beyond = 0.0;
        double height = 0.0;
        do {
            beyond = -std::log1p(-generator.next_double()) / tail;
            height = -std::log1p(-generator.next_double());
        } while (height + height <= beyond * beyond);
        return (place >> 8U & 1U) != 0 ? -(tail + beyond) : tail + beyond;
    }
}

template <typename Next>
Tensor drawn(const Shape& shape, Next next) {
    return map(Tensor(shape), [&](float) { return static_cast<float>(next()); });
}

}  // namespace

Pcg64::Pcg64(std::uint64_t seed) {
    const auto words = spread(seed);
    const auto joined = [&](std::size_t i) {
        return words.at(i) | static_cast<std::uint64_t>(words.at(i + 1)) << 32U;
    };
    increment_ = {joined(4) << 1U | joined(6) >> 63U, joined(6) << 1U | 1U};
    step();
    state_.low += joined(2);
    state_.high += joined(0) + (state_.low < joined(2) ? 1 : 0);
    step();
}

// state · factor + increment, modulo 2^128
void Pcg64::step() {
    constexpr Wide factor{0x2360ED051FC65DA4, 0x4385DF649FCCF645};
    const std::uint64_t low = state_.low * factor.low;
    state_.high = high_product(state_.low, factor.low) + state_.high * factor.low + state_.low * factor.high +
                  increment_.high;
    state_.low = low + increment_.low;
    state_.high += state_.low < low ? 1 : 0;
}

std::uint64_t Pcg64::next64() {
    step();
    return std::rotr(state_.high ^ state_.low, static_cast<int>(state_.high >> 58U));
}

std::uint32_t Pcg64::next32() {
    has_half_ = !has_half_;
    if (!has_half_) {
        return half_;
    }
    const std::uint64_t both = next64();
    half_ = static_cast<std::uint32_t>(both >> 32U);
    return static_cast<std::uint32_t>(both);
}

double Pcg64::next_double() {
    return static_cast<double>(next64() >> 11U) * 0x1p-53;
}

Tensor random(Pcg64& generator, const Shape& shape) {
    return drawn(shape, [&] { return generator.next_double(); });
}

Tensor standard_normal(Pcg64& generator, const Shape& shape) {
    return drawn(shape, [&] { return next_normal(generator); });
}

Tensor integers(Pcg64& generator, std::int64_t low, std::int64_t high, const Shape& shape) {
    const auto range = static_cast<std::uint32_t>(high - low);
    const std::uint32_t unfair =
        range == 0 ? 0 : (0U - range) % range;  // draws that would favour some numbers
    return drawn(shape, [&] {
        std::uint64_t scaled = 0;
        do {
            scaled = static_cast<std::uint64_t>(range > 1 ? generator.next32() : 0) * range;
        } while (range > 1 && static_cast<std::uint32_t>(scaled) < unfair);
        return static_cast<double>(low + static_cast<std::int64_t>(scaled >> 32U));
    });
}

}  // namespace attn::numpy
