// exp of one or several float32 numbers. It uses only arithmetic, so every compiler and instruction set gives
// the same bits. Everything here is inlined and uses only built-in functions, so that kernels for all
// processors can use it (tile.hpp).
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

// Follows Sleef's expf_u10, with an error below 1 ulp. x is written as q·ln 2 + s, and `mantissa` is a
// polynomial in s near exp(s). Adding `whole`, which is 1.5 · 2^23 plus an even number, rounds x/ln 2 to an
// integer, half to even. The lowest bits of `shifted` are then this integer plus 127 + offset: the exponent
// of 2^(q + offset). The scale is 2^-offset, so results below 2^-126 are rounded only once. The offset is 65
// for x from -104 to 0, or NaN, and -65 for x from 0 to 100.
template <class Integers, class Floats>
[[gnu::always_inline]] inline Floats exp_with_offset(Floats x, float offset, float scale) {
    const float whole = 12582912.0F + 127.0F + offset;
    const Floats shifted = x * 1.442695040888963407359924681001892137426645954152985934135449406931F + whole;
    const Floats q = shifted - whole;
    Floats s = fused(q, Floats{} - 0.693145751953125F, x);
    s = fused(q, Floats{} - 1.428606765330187045e-06F, s);
    Floats u = Floats{} + 0.000198527617612853646278381F;
    u = fused(u, s, Floats{} + 0.00139304355252534151077271F);
    u = fused(u, s, Floats{} + 0.00833336077630519866943359F);
    u = fused(u, s, Floats{} + 0.0416664853692054748535156F);
    u = fused(u, s, Floats{} + 0.166666671633720397949219F);
    u = fused(u, s, Floats{} + 0.5F);
    const Floats mantissa = 1.0F + fused(s * s, u, s);
    return mantissa * __builtin_bit_cast(Floats, __builtin_bit_cast(Integers, shifted) << 23) * scale;
}

// exp of numbers that are at most 0, or NaN.
template <class Integers, class Floats>
[[gnu::always_inline]] inline Floats exp_of_negative(Floats x) {
    const Floats least = Floats{} - 104.0F;  // below this number, exp is 0
    return exp_with_offset<Integers>(least > x ? least : x, 65.0F, 0x1p-65F);
}

// Gives the bits of torch.exp, which uses Sleef on x86 with FMA.
[[gnu::always_inline]] inline float exp(float x) {
    return x > 0.0F ? exp_with_offset<std::uint32_t>(x > 100.0F ? 100.0F : x, -65.0F, 0x1p65F)
                    : exp_of_negative<std::uint32_t>(x);
}

}  // namespace attn
