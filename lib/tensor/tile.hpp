// Building blocks of kernels: vectors of the level's width, packed operands, and a product tile in registers.
// Only *_kernel.cpp may include this file, because it is compiled once per level. Everything has internal
// linkage. Inline functions of shared headers are not called, because the linker would keep a single copy of
// them for all levels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/exp.hpp"

namespace attn {

namespace {

// A tile has tile_rows × tile_width numbers. It fills 24 of the 32 vector registers of AVX-512, or 12 of the
// 16 of AVX2.
#if defined(__AVX512F__)
constexpr std::size_t lanes = 16;
constexpr std::size_t tile_rows = 8;
#elif defined(__AVX2__)
constexpr std::size_t lanes = 8;
constexpr std::size_t tile_rows = 4;
#else
constexpr std::size_t lanes = 4;
constexpr std::size_t tile_rows = 4;
#endif
constexpr std::size_t across = 3;
constexpr std::size_t tile_width = across * lanes;

// Vector types of gcc and clang: arithmetic works lane by lane.
using Floats [[gnu::vector_size(lanes * sizeof(float))]] = float;
using Integers [[gnu::vector_size(lanes * sizeof(float))]] = std::int32_t;

[[gnu::always_inline]] inline Floats load(const float* from) {
    Floats vector;
    __builtin_memcpy(&vector, from, sizeof vector);
    return vector;
}

[[gnu::always_inline]] inline void store(Floats vector, float* to) {
    __builtin_memcpy(to, &vector, sizeof vector);
}

// Returns the larger number of each lane; b if one of them is NaN.
[[gnu::always_inline]] inline Floats larger(Floats a, Floats b) {
    return a > b ? a : b;
}

[[gnu::always_inline]] inline std::size_t smaller(std::size_t a, std::size_t b) {
    return a < b ? a : b;
}

// The left operand of a tile, which is not copied. It has `count` rows at a distance of `stride` numbers, of
// which a tile uses the first tile_rows.
struct Rows {
    const float* first;
    std::size_t stride, count;
};

// Packs the first tile_width numbers of k rows as (k, tile_width). The distance of rows is `stride`. If a row
// has only `count` numbers, zeros fill the rest.
inline void pack(const float* rows, std::size_t stride, std::size_t count, std::size_t k, float* packed) {
    for (std::size_t i = 0; i < k; ++i, rows += stride, packed += tile_width) {
        if (count >= tile_width) {
            __builtin_memcpy(packed, rows, tile_width * sizeof(float));
            continue;
        }
        for (std::size_t x = 0; x < tile_width; ++x) {
            packed[x] = x < count ? rows[x] : 0.0F;
        }
    }
}

// Packs the first k numbers of tile_width rows, transposed, as (k, tile_width). If there are only `count`
// rows, zeros fill the rest.
inline void pack_transposed(const float* from, std::size_t stride, std::size_t count, std::size_t k,
                            float* __restrict packed) {
    for (std::size_t x = 0; x < tile_width; ++x) {
        for (std::size_t i = 0; i < k; ++i) {
            packed[i * tile_width + x] = x < count ? from[x * stride + i] : 0.0F;
        }
    }
}

// Computes the product of a (tile_rows, k) and b (k, tile_width), and adds it to c (tile_rows, tile_width).
// Terms are added in ascending k, with one fused multiply-add each. The distance of rows of c is `stride`;
// rows beyond a.count are undefined. Not inlined, because gcc 12 runs out of registers in a larger function.
[[gnu::noinline]] inline void multiply_tile(const Rows& a, const float* b, std::size_t k, float* c,
                                            std::size_t stride) {
    const float* rows[tile_rows];
    Floats sums[tile_rows][across];
#pragma GCC unroll 16
    for (std::size_t row = 0; row < tile_rows; ++row) {
        rows[row] = a.first + smaller(row, a.count - 1) * a.stride;
#pragma GCC unroll 4
        for (std::size_t i = 0; i < across; ++i) {
            sums[row][i] = load(c + row * stride + i * lanes);
        }
    }
    for (std::size_t term = 0; term < k; ++term, b += tile_width) {
#pragma GCC unroll 16
        for (std::size_t row = 0; row < tile_rows; ++row) {
            const Floats left = rows[row][term] - Floats{};  // x − 0 keeps −0, but x + 0 turns it into 0
#pragma GCC unroll 4
            for (std::size_t i = 0; i < across; ++i) {
                sums[row][i] = fused(left, load(b + i * lanes), sums[row][i]);
            }
        }
    }
#pragma GCC unroll 16
    for (std::size_t row = 0; row < tile_rows; ++row) {
#pragma GCC unroll 4
        for (std::size_t i = 0; i < across; ++i) {
            store(sums[row][i], c + row * stride + i * lanes);
        }
    }
}

}  // namespace

}  // namespace attn
