// Transcribed from numpy/random/src/legacy/legacy-distributions.c, numpy/core/src/umath/loops_exponent_log
// and loops_utils.h.src (pairwise sum).
#include "tensor/numpy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "tensor/strided.hpp"

namespace attn::numpy {

namespace {

// Joins two draws to 53 bits, the high 27 first.
double next_double(Generator& generator) {
    const std::uint32_t high = generator.next32() >> 5;
    const std::uint32_t low = generator.next32() >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
}

// By the polar method, a random point in the unit circle gives two normal numbers. The second is returned
// first.
std::pair<double, double> normal_pair(Generator& generator) {
    double x = 0.0;
    double y = 0.0;
    double square = 0.0;
    do {
        x = 2.0 * next_double(generator) - 1.0;
        y = 2.0 * next_double(generator) - 1.0;
        square = x * x + y * y;
    } while (square >= 1.0 || square == 0.0);
    const double factor = std::sqrt(-2.0 * std::log(square) / square);
    return {factor * y, factor * x};
}

// Splits x into q·ln 2 + r, and approximates exp(r) by a quotient of polynomials.
float exp_float(float x) {
    if (std::isnan(x)) {
        return x;
    }
    if (x > 88.72283935546875F) {
        return std::numeric_limits<float>::infinity();
    }
    if (x < -103.97208404541015625F) {
        return 0.0F;
    }
    constexpr float rounder = 12582912.0F;  // 1.5 · 2^23: adding this number rounds x to an integer
    const float q = std::fma(x, 1.44269504088896341F, rounder) - rounder;
    float r = std::fma(q, -6.93145752e-1F, x);
    r = std::fma(q, -1.42860677e-6F, r);
    float p = 5.082762527590693718096e-04F;
    for (const float c :
         {6.757896990527504603057e-03F, 5.114512081637298353406e-02F, 2.473615434895520810817e-01F,
          7.257664613233124478488e-01F, 9.999999999980870924916e-01F}) {
        p = std::fma(p, r, c);
    }
    float d = 2.159509375685829852307e-02F;
    d = std::fma(d, r, -2.742335390411667452936e-01F);
    d = std::fma(d, r, 1.0F);
    return std::ldexp(p / d, static_cast<int>(q));
}

// Pairwise sum: up to 128 numbers are added in 8 running sums; longer rows are halved first.
float pairwise_sum(std::span<const float> values) {
    constexpr std::size_t lanes = 8;
    constexpr std::size_t block = 128;
    if (values.size() > block) {
        const std::size_t half = values.size() / 2 / lanes * lanes;
        return pairwise_sum(values.first(half)) + pairwise_sum(values.subspan(half));
    }
    std::size_t next = 0;
    float total = 0.0F;
    if (values.size() >= lanes) {
        std::array<float, lanes> r{};
        std::copy_n(values.begin(), lanes, r.begin());
        for (next = lanes; next < values.size() / lanes * lanes; ++next) {
            r[next % lanes] += values[next];
        }
        total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    }
    for (; next < values.size(); ++next) {
        total += values[next];
    }
    return total;
}

// Sums along any axis but the last. NumPy adds one row after another.
float sum_in_turn(std::span<const float> values) {
    return std::accumulate(values.begin(), values.end(), 0.0F);
}

}  // namespace

Tensor rand(Generator& generator, const Shape& shape) {
    return map(Tensor(shape), [&](float) { return static_cast<float>(next_double(generator)); });
}

Tensor randn(Generator& generator, const Shape& shape) {
    Tensor result(shape);
    std::generate(result.values().begin(), result.values().end(),
                  [&] { return static_cast<float>(generator.next_of_pair(normal_pair)); });
    return result;
}

Tensor exp(const Tensor& x) {
    return map(x, exp_float);
}

Tensor sum(const Tensor& x, int axis, bool keepdims) {
    const std::size_t summed = x.shape().axis(axis, "numpy::sum");
    const bool adjacent = summed + 1 == x.rank();
    return along(x, summed, keepdims, [&](std::span<const float> line, std::size_t) {
        return adjacent ? pairwise_sum(line) : sum_in_turn(line);
    });
}

}  // namespace attn::numpy
