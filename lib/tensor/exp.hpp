// exp of one float32, by arithmetic alone: every compiler and every instruction set gives the same bits, and
// a loop over it vectorises.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace attn {

// Within 1 ulp. The same bits as torch.exp of PyTorch 1.13 on x86 with FMA: Sleef's expf_u10, which writes x
// = q·ln 2 + s, evaluates a polynomial in s and multiplies by 2^q in two halves so that results below 2^-126
// are rounded once.
inline float exp(float x) {
    if (!(x >= -104.0F)) {
        return std::isnan(x) ? x : 0.0F;
    }
    if (x > 100.0F) {
        return std::numeric_limits<float>::infinity();
    }
    const float q = std::nearbyint(x * 1.442695040888963407359924681001892137426645954152985934135449406931F);
    float s = std::fma(q, -0.693145751953125F, x);
    s = std::fma(q, -1.428606765330187045e-06F, s);

    float u = 0.000198527617612853646278381F;
    u = std::fma(u, s, 0.00139304355252534151077271F);
    u = std::fma(u, s, 0.00833336077630519866943359F);
    u = std::fma(u, s, 0.0416664853692054748535156F);
    u = std::fma(u, s, 0.166666671633720397949219F);
    u = std::fma(u, s, 0.5F);
    u = 1.0F + std::fma(s * s, u, s);

    const auto power_of_two = [](std::int32_t e) { return std::bit_cast<float>((e + 127) << 23); };
    const auto exponent = static_cast<std::int32_t>(q);
    const std::int32_t half = exponent >> 1;
    return u * power_of_two(half) * power_of_two(exponent - half);
}

}  // namespace attn
