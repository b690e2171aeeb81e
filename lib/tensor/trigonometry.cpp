// Sines, cosines and powers with the bits of Sleef, which PyTorch 2 calls: sinf_u35, cosf_u35 and powf_u10
// with FMA. powf_u10 computes in pairs of float32. Their sum has twice the digits.
#include "tensor/trigonometry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "tensor/error.hpp"

namespace attn {

namespace {

// A sum of two numbers, kept as two numbers; `low` is much smaller than `high`.
struct Pair {
    float high, low;

    Pair(float number, float rest = 0.0F) : high(number), low(rest) {}
};

// Adds two pairs, including the rounding error. Needs |a| ≥ |b| and fewer operations than operator+.
Pair sum_of_larger(Pair a, Pair b) {
    const float sum = a.high + b.high;
    return {sum, (((a.high - sum) + b.high) + a.low) + b.low};
}
Pair operator+(Pair a, Pair b) {
    const float sum = a.high + b.high;
    const float part = sum - a.high;
    return {sum, ((a.high - (sum - part)) + (b.high - part)) + (a.low + b.low)};
}
Pair operator*(Pair a, Pair b) {
    const float product = a.high * b.high;
    return {product, std::fma(a.high, b.low, std::fma(a.low, b.high, std::fma(a.high, b.high, -product)))};
}
Pair operator/(Pair a, Pair b) {
    const float inverse = 1.0F / b.high;
    const float quotient = a.high * inverse;
    const float error = std::fma(-b.low, inverse, std::fma(-b.high, inverse, 1.0F));
    return {quotient,
            std::fma(quotient, error, std::fma(a.low, inverse, std::fma(inverse, a.high, -quotient)))};
}
Pair squared(Pair a) {
    const float square = a.high * a.high;
    return {square, std::fma(a.high + a.high, a.low, std::fma(a.high, a.high, -square))};
}

constexpr double inverse_pi = 0.318309886183790671537767526745028724;

// π in parts so short that the products of a number of turns with all but the last are exact, for angles
// below 125 and below 39,000.
constexpr float near_parts[] = {3.1414794921875F, 0.00011315941810607910156F, 1.9841872589410058936e-09F};
constexpr float far_parts[] = {3.140625F, 0.0009670257568359375F, 6.2771141529083251953e-07F,
                               1.2154201256553420762e-10F};

// Subtracts a number of quarter turns from an angle.
float less_quarters(float x, float quarters, std::span<const float> parts) {
    for (const float part : parts) {
        x = std::fma(quarters, part / -2.0F, x);
    }
    return x;
}

// Does the same for any angle, in double, where Sleef uses a table of the bits of 2/π.
float less_quarters(double x, double quarters, std::span<const float>) {
    const double first = std::fma(quarters, -1.5707963267948966, x);
    return static_cast<float>(std::fma(quarters, -6.123233995736766e-17, first));
}

// Returns the sine of x plus 0 or 1 quarter turns. As many quarter turns are subtracted, an even or an odd
// number, that at most one remains.
template <typename Number>
float sine_after(Number x, Number turns, std::span<const float> parts = {}) {
    const Number quarters = 2 * std::nearbyint(x * static_cast<Number>(inverse_pi) - turns / 2) + turns;
    const float rest = less_quarters(x, quarters, parts);
    const float angle = std::fmod(quarters + turns, Number{4}) == 0 ? rest : -rest;
    const float square = rest * rest;
    float u = 2.6083159809786593541503e-06F;
    u = std::fma(u, square, -0.0001981069071916863322258F);
    u = std::fma(u, square, 0.00833307858556509017944336F);
    u = std::fma(u, square, -0.166666597127914428710938F);
    return square * (u * angle) + angle;
}

// The largest angle of a vector decides how all its angles are reduced.
Tensor sines_after(const Tensor& x, float turns) {
    constexpr std::size_t lanes = 8;
    Tensor results(x.shape());
    for (std::size_t i = 0; i < x.count(); ++i) {
        const auto vector =
            x.values().subspan(i / lanes * lanes).first(std::min(lanes, x.count() - i / lanes * lanes));
        const auto is_within = [vector](float limit) {
            return std::ranges::all_of(vector, [limit](float angle) { return std::fabs(angle) < limit; });
        };
        const float angle = x.values()[i];
        results.values()[i] = angle == 0.0F && turns == 0.0F ? angle  // keeps -0
                              : is_within(125.0F)            ? sine_after(angle, turns, near_parts)
                              : is_within(39000.0F)
                                  ? sine_after(angle, turns, far_parts)
                                  : sine_after(static_cast<double>(angle), static_cast<double>(turns));
    }
    return results;
}

// Needs x > 0.
Pair log(float x) {
    const int exponent = std::ilogb(x * (1.0F / 0.75F));
    const float m = std::ldexp(x, -exponent);
    const Pair t = (Pair(-1.0F) + m) / (Pair(1.0F) + m);
    const Pair square = squared(t);
    float u = 0.240320354700088500976562F;
    u = std::fma(u, square.high, 0.285112679004669189453125F);
    u = std::fma(u, square.high, 0.400007992982864379882812F);
    const Pair two_thirds{0.66666662693023681640625F, 3.69183861259614332084311e-09F};
    const Pair ln_2{0.69314718246459960938F, -1.904654323148236017e-09F};
    const Pair whole = ln_2 * static_cast<float>(exponent);
    return sum_of_larger(sum_of_larger(whole, {t.high * 2.0F, t.low * 2.0F}),
                         (square * t) * (square * u + two_thirds));
}

float exp(Pair x) {
    const float q = std::nearbyint((x.high + x.low) * 1.442695040888963407359924681001892137F);
    Pair s = x + q * -0.693145751953125F + q * -1.428606765330187045e-06F;
    s = sum_of_larger(s.high, s.low);
    float u = 0.00136324646882712841033936F;
    u = std::fma(u, s.high, 0.00836596917361021041870117F);
    u = std::fma(u, s.high, 0.0416710823774337768554688F);
    u = std::fma(u, s.high, 0.166665524244308471679688F);
    u = std::fma(u, s.high, 0.499999850988388061523438F);
    const Pair sum = sum_of_larger(1.0F, sum_of_larger(s, squared(s) * u));
    return std::ldexp(sum.high + sum.low, static_cast<int>(q));
}

// Pair i of a row consists of number i · step, and the number `apart` positions after it.
Tensor rotated(const Tensor& x, const Tensor& cos, const Tensor& sin, std::size_t step, std::size_t apart) {
    const std::size_t d = x.rank() < 2 ? 0 : x.size(-1);
    const bool fits = d % 2 == 0 && d > 0 && cos.rank() == 2 && cos.shape() == sin.shape() &&
                      cos.size(-1) == d / 2 && (cos.size(0) == 1 || cos.size(0) == x.size(-2));
    if (!fits) {
        throw Error(
            "[rotate] Expected (…, n, d) and cosines and sines (n, d / 2) but received {}, {} and "
            "{}.",
            x.shape().text(), cos.shape().text(), sin.shape().text());
    }
    Tensor turned = x;
    for (std::size_t i = 0; i < x.count() / 2; ++i) {
        const std::size_t row = i / (d / 2);
        const std::size_t first = row * d + i % (d / 2) * step;
        const std::size_t angle = i % cos.count();
        const float a = x.values()[first];
        const float b = x.values()[first + apart];
        const float c = cos.values()[angle];
        const float s = sin.values()[angle];
        turned.values()[first] = a * c - b * s;
        turned.values()[first + apart] = a * s + b * c;
    }
    return turned;
}

}  // namespace

Tensor sin(const Tensor& x) {
    return sines_after(x, 0.0F);
}

Tensor cos(const Tensor& x) {
    return sines_after(x, 1.0F);
}

// PyTorch computes whole pairs of vectors with Sleef and the rest with the C library's powf, which returns
// the correctly rounded power except for one number in 50,000.
Tensor pow(double base, const Tensor& x) {
    const auto rounded = static_cast<float>(base);
    constexpr std::size_t two_vectors = 16;
    const std::size_t in_vectors = x.count() / two_vectors * two_vectors;
    Tensor results(x.shape());
    for (std::size_t i = 0; i < x.count(); ++i) {
        const float exponent = x.values()[i];
        results.values()[i] =
            i < in_vectors && exponent != 0.0F
                ? exp(log(rounded) * exponent)
                : static_cast<float>(std::pow(static_cast<double>(rounded), static_cast<double>(exponent)));
    }
    return results;
}

Tensor rotate_halves(const Tensor& x, const Tensor& cos, const Tensor& sin) {
    return rotated(x, cos, sin, 1, x.rank() == 0 ? 0 : x.size(-1) / 2);
}

Tensor rotate_neighbours(const Tensor& x, const Tensor& cos, const Tensor& sin) {
    return rotated(x, cos, sin, 2, 1);
}

}  // namespace attn
