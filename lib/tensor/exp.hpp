// exp of a float32 or of a vector of them, computed by arithmetic only, so that every compiler and every
// instruction set gives the same bits. Everything here is always inlined and uses only built-in functions, so
// that kernels compiled for other processors can use it too (tile.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace attn {

// Computes a·b + c, rounded once. gcc and clang compile the loop to one instruction if the processor has it.
template <class Floats>
[[gnu::always_inline]] inline Floats fused(Floats a, Floats b, Floats c) {
    if constexpr (std::is_same_v<Floats, float>) {
        return __builtin_fmaf(a, b, c);
    } else {
#pragma GCC unroll 16
        for (std::size_t lane = 0; lane < sizeof(Floats) / sizeof(float); ++lane) {
            c[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
        }
        return c;
    }
}

// The part of exp that is the same for results of any size, after Sleef's expf_u10. With x = q·ln 2 + s,
// `mantissa` is a polynomial in s near exp(s). Adding `whole`, which is 1.5 · 2^23 plus an even number, to
// x/ln 2 leaves no room for a fraction. So the lowest bits of `shifted`, less those of `whole`, are q: x/ln 2
// rounded to an integer, half to even.
template <class Floats>
struct PartsOfExp {
    Floats mantissa, shifted;

    [[gnu::always_inline]] PartsOfExp(Floats x, float whole) {
        shifted = x * 1.442695040888963407359924681001892137426645954152985934135449406931F + whole;
        const Floats q = shifted - whole;
        Floats s = fused(q, Floats{} - 0.693145751953125F, x);
        s = fused(q, Floats{} - 1.428606765330187045e-06F, s);

        Floats u = Floats{} + 0.000198527617612853646278381F;
        u = fused(u, s, Floats{} + 0.00139304355252534151077271F);
        u = fused(u, s, Floats{} + 0.00833336077630519866943359F);
        u = fused(u, s, Floats{} + 0.0416664853692054748535156F);
        u = fused(u, s, Floats{} + 0.166666671633720397949219F);
        u = fused(u, s, Floats{} + 0.5F);
        mantissa = 1.0F + fused(s * s, u, s);
    }
};

// Accurate to 1 ulp, with the same bits as torch.exp of PyTorch 1.13 on x86 with FMA, which uses Sleef. The
// factor 2^q is applied in two halves, so that results below 2^-126 are rounded only once.
[[gnu::always_inline]] inline float exp(float x) {
    // Outside these bounds the result is 0 or infinite anyway. NaN stays NaN.
    const float above = x < -104.0F ? -104.0F : x;
    const float within = above > 100.0F ? 100.0F : above;
    constexpr float whole = 12582912.0F;  // 1.5 · 2^23
    const PartsOfExp<float> parts(within, whole);
    const std::int32_t exponent =
        __builtin_bit_cast(std::int32_t, parts.shifted) - __builtin_bit_cast(std::int32_t, whole);
    const std::int32_t half = exponent >> 1;
    const float low = __builtin_bit_cast(float, (half + 127) << 23);
    const float high = __builtin_bit_cast(float, (exponent - half + 127) << 23);
    return parts.mantissa * low * high;
}

// The same function for x from -104 to 0, or NaN, as softmax needs it, with a third fewer instructions. The
// lowest bits of `shifted` become the exponent directly, because q + 65 always fits into it.
template <class Floats, class Integers>
[[gnu::always_inline]] inline Floats exp_of_negative(Floats x) {
    constexpr float whole = 12582912.0F + 127.0F + 65.0F;
    const PartsOfExp<Floats> parts(x, whole);
    const Floats power = __builtin_bit_cast(Floats, __builtin_bit_cast(Integers, parts.shifted) << 23);
    return parts.mantissa * power * 0x1p-65F;
}

}  // namespace attn
