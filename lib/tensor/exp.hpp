// exp of one float32, by arithmetic alone: every compiler and every instruction set gives the same bits, and
// a loop over it vectorises, for it has no branches.
#pragma once

#include <cstdint>

namespace attn {

// Within 1 ulp. The same bits as torch.exp of PyTorch 1.13 on x86 with FMA: Sleef's expf_u10, which writes x
// = q·ln 2 + s, evaluates a polynomial in s and multiplies by 2^q in two halves so that results below 2^-126
// are rounded once.
//
// Always inlined and made of built-in functions alone, so that kernels compiled for other processors can have
// it too (tile.hpp).
[[gnu::always_inline]] inline float exp(float x) {
    // Beyond these the result is 0 or infinite all the same. NaN stays.
    const float above = x < -104.0F ? -104.0F : x;
    const float within = above > 100.0F ? 100.0F : above;

    // The sum has no room for a fraction: its last bits are x/ln 2 rounded to the even integer.
    constexpr float whole = 12582912.0F;  // 1.5 · 2^23
    const float shifted =
        within * 1.442695040888963407359924681001892137426645954152985934135449406931F + whole;
    const float q = shifted - whole;
    float s = __builtin_fmaf(q, -0.693145751953125F, within);
    s = __builtin_fmaf(q, -1.428606765330187045e-06F, s);

    float u = 0.000198527617612853646278381F;
    u = __builtin_fmaf(u, s, 0.00139304355252534151077271F);
    u = __builtin_fmaf(u, s, 0.00833336077630519866943359F);
    u = __builtin_fmaf(u, s, 0.0416664853692054748535156F);
    u = __builtin_fmaf(u, s, 0.166666671633720397949219F);
    u = __builtin_fmaf(u, s, 0.5F);
    u = 1.0F + __builtin_fmaf(s * s, u, s);

    const std::int32_t exponent =
        __builtin_bit_cast(std::int32_t, shifted) - __builtin_bit_cast(std::int32_t, whole);
    const std::int32_t half = exponent >> 1;
    const float low = __builtin_bit_cast(float, (half + 127) << 23);
    const float high = __builtin_bit_cast(float, (exponent - half + 127) << 23);
    return u * low * high;
}

}  // namespace attn
