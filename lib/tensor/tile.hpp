// What kernels are made of: vectors of the level's width, and a tile of a product held in registers. For
// *_kernel.cpp only, which are compiled once per level: everything here has internal linkage and calls no
// inline function of a shared header, for of several copies the linker would keep one, of whatever level.
#pragma once

#include <cstddef>

namespace attn {

namespace {

#if defined(__AVX512F__)
constexpr std::size_t lanes = 16;
constexpr std::size_t tile_rows = 12;  // 24 of the 32 registers hold sums
#elif defined(__AVX2__)
constexpr std::size_t lanes = 8;
constexpr std::size_t tile_rows = 6;  // 12 of 16
#else
constexpr std::size_t lanes = 4;
constexpr std::size_t tile_rows = 6;
#endif
constexpr std::size_t tile_columns = 2 * lanes;

// Vectors as gcc and clang have them: arithmetic lane by lane. `Unaligned` is one anywhere in an array of
// float.
using Floats [[gnu::vector_size(lanes * sizeof(float))]] = float;
using Unaligned [[gnu::vector_size(lanes * sizeof(float)), gnu::aligned(alignof(float)), gnu::may_alias]] =
    float;

[[gnu::always_inline]] inline Floats load(const float* from) {
    return *reinterpret_cast<const Unaligned*>(from);
}

[[gnu::always_inline]] inline void store(Floats vector, float* to) {
    *reinterpret_cast<Unaligned*>(to) = vector;
}

// Both compilers make one instruction of the loop where the level has it.
[[gnu::always_inline]] inline Floats fma(float a, Floats b, Floats c) {
    Floats sum = c;
#pragma GCC unroll 16
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        sum[lane] = __builtin_fmaf(a, b[lane], c[lane]);
    }
    return sum;
}

// The largest number, or −∞ when there is none; a NaN is passed over.
[[gnu::always_inline]] inline float largest(const float* values, std::size_t count) {
    Floats left = Floats{} - __builtin_inff();
    Floats right = left;
    std::size_t i = 0;
    for (; i + 2 * lanes <= count; i += 2 * lanes) {
        const Floats a = load(values + i);
        const Floats b = load(values + i + lanes);
        left = a > left ? a : left;
        right = b > right ? b : right;
    }
    left = right > left ? right : left;
    float result = -__builtin_inff();
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        result = left[lane] > result ? left[lane] : result;
    }
    for (; i < count; ++i) {
        result = values[i] > result ? values[i] : result;
    }
    return result;
}

struct Tile {
    Floats sums[tile_rows][2];

    [[gnu::always_inline]] void load_from(const float* c, std::size_t stride) {
#pragma GCC unroll 16
        for (std::size_t row = 0; row < tile_rows; ++row) {
            sums[row][0] = load(c + row * stride);
            sums[row][1] = load(c + row * stride + lanes);
        }
    }

    [[gnu::always_inline]] void store_to(float* c, std::size_t stride) const {
#pragma GCC unroll 16
        for (std::size_t row = 0; row < tile_rows; ++row) {
            store(sums[row][0], c + row * stride);
            store(sums[row][1], c + row * stride + lanes);
        }
    }

    // += a (tile_rows, k) × b (k, tile_columns), k ascending: a[row · row_stride + inner · inner_stride], and
    // b without gaps.
    template <std::size_t row_stride, std::size_t inner_stride>
    [[gnu::always_inline]] void add_product(const float* a, const float* b, std::size_t k) {
        for (std::size_t inner = 0; inner < k; ++inner) {
            const Floats left = load(b);
            const Floats right = load(b + lanes);
#pragma GCC unroll 16
            for (std::size_t row = 0; row < tile_rows; ++row) {
                sums[row][0] = fma(a[row * row_stride], left, sums[row][0]);
                sums[row][1] = fma(a[row * row_stride], right, sums[row][1]);
            }
            a += inner_stride;
            b += tile_columns;
        }
    }
};

}  // namespace

}  // namespace attn
