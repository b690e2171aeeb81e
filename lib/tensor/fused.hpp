// a·b + c rounded once, of numbers and of vectors of them. Always inlined and made of built-in functions
// alone, so that kernels compiled for other processors can have it too (tile.hpp).
#pragma once

#include <cstddef>
#include <type_traits>

namespace attn {

#if defined(__wasm_simd128__)
// WebAssembly fuses nothing. In double the product of two floats is exact, and its sum with a third rounds to
// the same float as it does by itself unless it stands half way between two, or is so small that floats are
// fewer there.
template <class Floats>
[[gnu::always_inline]] inline Floats fused_in_double(Floats a, Floats b, Floats c) {
    using Doubles [[gnu::vector_size(2 * sizeof(double))]] = double;
    using Bits [[gnu::vector_size(2 * sizeof(double))]] = long long;
    using Bytes [[gnu::vector_size(2 * sizeof(double))]] = signed char;
    using Pair [[gnu::vector_size(2 * sizeof(float))]] = float;
    const auto low = [](Floats x) {
        return __builtin_convertvector(__builtin_shufflevector(x, x, 0, 1), Doubles);
    };
    const auto high = [](Floats x) {
        return __builtin_convertvector(__builtin_shufflevector(x, x, 2, 3), Doubles);
    };
    const auto doubtful = [](Doubles sum) {
        const Bits half_way = (reinterpret_cast<Bits>(sum) & 0x1fffffff) == 0x10000000;
        return half_way | ((__builtin_elementwise_abs(sum) < 0x1p-126) & (sum != 0.0));
    };
    const Doubles first = low(a) * low(b) + low(c);
    const Doubles second = high(a) * high(b) + high(c);
    Floats result = __builtin_shufflevector(__builtin_convertvector(first, Pair),
                                            __builtin_convertvector(second, Pair), 0, 1, 2, 3);
    if (__builtin_wasm_any_true_v128(reinterpret_cast<Bytes>(doubtful(first) | doubtful(second)))) {
        for (std::size_t lane = 0; lane < 4; ++lane) {
            result[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
        }
    }
    return result;
}
#endif

// Both compilers make one instruction of the loop where the processor has it.
template <class Floats>
[[gnu::always_inline]] inline Floats fused(Floats a, Floats b, Floats c) {
    if constexpr (std::is_same_v<Floats, float>) {
        return __builtin_fmaf(a, b, c);
    } else {
#if defined(__wasm_simd128__)
        return fused_in_double(a, b, c);
#else
        Floats sum = c;
#pragma GCC unroll 16
        for (std::size_t lane = 0; lane < sizeof(Floats) / sizeof(float); ++lane) {
            sum[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
        }
        return sum;
#endif
    }
}

}  // namespace attn
