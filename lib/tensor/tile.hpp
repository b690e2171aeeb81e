// What kernels are made of: vectors of the level's width, and a tile of a product held in registers. For
// *_kernel.cpp only, which are compiled once per level: everything here has internal linkage and calls no
// inline function of a shared header, for of several copies the linker would keep one, of whatever level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "tensor/exp.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace attn {

namespace {

#if defined(__AVX512F__)
constexpr std::size_t lanes = 16;
constexpr std::size_t tile_vectors = 24;  // of the 32 registers
#elif defined(__AVX2__)
constexpr std::size_t lanes = 8;
constexpr std::size_t tile_vectors = 12;  // of 16
#else
constexpr std::size_t lanes = 4;
constexpr std::size_t tile_vectors = 12;
#endif

// Terms of a product that are written out one after the other: counting them takes a fifth of the
// instructions, which two threads on one core, as machines of a cloud have, get half as many of. A sanitizer
// checks each access, and gcc compiles the checks of eight terms for more than ten minutes.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int terms_unrolled = 1;
#else
constexpr int terms_unrolled = 8;
#endif

// Vectors as gcc and clang have them: arithmetic lane by lane. `Unaligned` is one anywhere in an array of
// float.
using Floats [[gnu::vector_size(lanes * sizeof(float))]] = float;
using Integers [[gnu::vector_size(lanes * sizeof(float))]] = std::int32_t;
using Unaligned [[gnu::vector_size(lanes * sizeof(float)), gnu::aligned(alignof(float)), gnu::may_alias]] =
    float;

[[gnu::always_inline]] inline Floats load(const float* from) {
    return *reinterpret_cast<const Unaligned*>(from);
}

[[gnu::always_inline]] inline void store(Floats vector, float* to) {
    *reinterpret_cast<Unaligned*>(to) = vector;
}

// a > b ? a : b lane by lane, so b where either is NaN. Neither compiler finds the one instruction for that.
[[gnu::always_inline]] inline Floats larger(Floats a, Floats b) {
#if defined(__AVX512F__)
    return _mm512_maskz_max_ps(0xffff, a, b);  // without the mask gcc 12 warns of its own header
#elif defined(__AVX2__)
    return _mm256_max_ps(a, b);
#else
    return a > b ? a : b;
#endif
}

// exp lane by lane of numbers that are at most 0, or NaN.
[[gnu::always_inline]] inline Floats exp_of_negative(Floats x) {
    return attn::exp_of_negative<Floats, Integers>(larger(Floats{} - 104.0F, x));
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
    float result = -__builtin_inff();
    if (i > 0) {
        left = right > left ? right : left;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            result = left[lane] > result ? left[lane] : result;
        }
    }
    for (; i < count; ++i) {
        result = values[i] > result ? values[i] : result;
    }
    return result;
}

// `rows` × width numbers of a product, which are summed in registers: `across` vectors a row.
template <std::size_t across>
struct Tile {
    static constexpr std::size_t rows = tile_vectors / across;
    static constexpr std::size_t width = across * lanes;

    Floats sums[rows][across];

    [[gnu::always_inline]] void load_from(const float* c, std::size_t stride) {
#pragma GCC unroll 16
        for (std::size_t row = 0; row < rows; ++row) {
#pragma GCC unroll 4
            for (std::size_t i = 0; i < across; ++i) {
                sums[row][i] = load(c + row * stride + i * lanes);
            }
        }
    }

    [[gnu::always_inline]] void store_to(float* c, std::size_t stride) const {
#pragma GCC unroll 16
        for (std::size_t row = 0; row < rows; ++row) {
#pragma GCC unroll 4
            for (std::size_t i = 0; i < across; ++i) {
                store(sums[row][i], c + row * stride + i * lanes);
            }
        }
    }

    [[gnu::always_inline]] void clear_minus_zero() {
#pragma GCC unroll 16
        for (std::size_t row = 0; row < rows; ++row) {
#pragma GCC unroll 4
            for (std::size_t i = 0; i < across; ++i) {
                sums[row][i] += 0.0F;
            }
        }
    }

    // += row (1, width)
    [[gnu::always_inline]] void add_row(const float* row) {
#pragma GCC unroll 4
        for (std::size_t i = 0; i < across; ++i) {
            const Floats right = load(row + i * lanes);
#pragma GCC unroll 16
            for (std::size_t left = 0; left < rows; ++left) {
                sums[left][i] += right;
            }
        }
    }

    // += a (rows, k) × b (k, width), k ascending: a[row · row_stride + inner · inner_stride], and b without
    // gaps. Vectors before `from` are left as they are.
    template <std::size_t from = 0>
    [[gnu::always_inline]] void add_product(const float* a, std::size_t row_stride, std::size_t inner_stride,
                                            const float* b, std::size_t k) {
#pragma GCC unroll terms_unrolled
        for (std::size_t inner = 0; inner < k; ++inner) {
            add_term<from>(a, row_stride, b);
            a += inner_stride;
            b += width;
        }
    }

    // One term of each sum: a (rows, 1) × b (1, width).
    template <std::size_t from = 0>
    [[gnu::always_inline]] void add_term(const float* a, std::size_t row_stride, const float* b) {
        Floats right[across];
#pragma GCC unroll 4
        for (std::size_t i = from; i < across; ++i) {
            right[i] = load(b + i * lanes);
        }
#pragma GCC unroll 16
        for (std::size_t row = 0; row < rows; ++row) {
            const Floats left = a[row * row_stride] - Floats{};  // −0 stays
#pragma GCC unroll 4
            for (std::size_t i = from; i < across; ++i) {
                sums[row][i] = fused(left, right[i], sums[row][i]);
            }
        }
    }
};

// The number of each lane.
[[gnu::always_inline]] inline Integers lane_numbers() {
    Integers numbers{};
#pragma GCC unroll 16
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        numbers[lane] = static_cast<std::int32_t>(lane);
    }
    return numbers;
}

// The low or the high half of a's and b's lanes, one of a and one of b in turn.
template <std::size_t half, std::size_t... lane>
[[gnu::always_inline]] inline Floats zipped(Floats a, Floats b, std::index_sequence<lane...>) {
    return __builtin_shufflevector(a, b, static_cast<int>(half * lanes / 2 + lane / 2 + lane % 2 * lanes)...);
}

// Rows become columns: `from` and `to` are lanes × lanes numbers, whose rows are so many numbers apart.
// Zipping the first half of the rows with the second one, as often as halves can be halved, does that.
[[gnu::always_inline]] inline void transpose_square(const float* from, std::size_t from_stride, float* to,
                                                    std::size_t to_stride) {
    constexpr auto all = std::make_index_sequence<lanes>();
    Floats rows[lanes];
#pragma GCC unroll 16
    for (std::size_t row = 0; row < lanes; ++row) {
        rows[row] = load(from + row * from_stride);
    }
#pragma GCC unroll 4
    for (std::size_t halves = 1; halves < lanes; halves *= 2) {
        Floats next[lanes];
#pragma GCC unroll 8
        for (std::size_t row = 0; row < lanes / 2; ++row) {
            next[2 * row] = zipped<0>(rows[row], rows[row + lanes / 2], all);
            next[2 * row + 1] = zipped<1>(rows[row], rows[row + lanes / 2], all);
        }
#pragma GCC unroll 16
        for (std::size_t row = 0; row < lanes; ++row) {
            rows[row] = next[row];
        }
    }
#pragma GCC unroll 16
    for (std::size_t row = 0; row < lanes; ++row) {
        store(rows[row], to + row * to_stride);
    }
}

// (n, m) → (m, n), of any size.
inline void transpose(const float* from, std::size_t from_stride, std::size_t n, std::size_t m, float* to,
                      std::size_t to_stride) {
    for (std::size_t row = 0; row < n; row += lanes) {
        for (std::size_t column = 0; column < m; column += lanes) {
            const float* const corner = from + row * from_stride + column;
            float* const other = to + column * to_stride + row;
            if (n - row >= lanes && m - column >= lanes) {
                transpose_square(corner, from_stride, other, to_stride);
                continue;
            }
            for (std::size_t i = 0; i < n - row && i < lanes; ++i) {
                for (std::size_t j = 0; j < m - column && j < lanes; ++j) {
                    other[j * to_stride + i] = corner[i * from_stride + j];
                }
            }
        }
    }
}

}  // namespace

}  // namespace attn
