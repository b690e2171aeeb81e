// The kernel of fused attention, which is compiled once per instruction set level. fused_attention.cpp calls
// it for each head.
#pragma once

#include <cstddef>

#include "tensor/levels.hpp"

namespace attn {

// One head. A stride is the distance in memory between rows; `stride` is for queries and keys.
struct FusedHead {
    const float* queries;  // (n, d_k)
    const float* keys;     // (n, d_k)
    const float* values;   // (n, d_v)
    float* result;         // (n, d_v)
    std::size_t stride, value_stride;
    std::size_t n, d_k, d_v;
};

// The number of keys in a block. Each block updates the maximum and rescales the sums, so the bits of the
// result depend on this number.
inline constexpr std::size_t key_block = 192;

// The number of queries in one call. It is a multiple of the tile width at every level, and divides the
// number of keys in a block.
inline constexpr std::size_t query_block = 48;

// The size of `scratch`, in numbers.
inline std::size_t fused_scratch(const FusedHead& head) {
    constexpr std::size_t tile_rows = 8;
    return (head.d_k + key_block + head.d_v + tile_rows) * query_block;
}

// Computes query_block rows of the result, or fewer at the end, beginning with row `first`, a multiple of
// query_block.
ATTN_AT_EACH_LEVEL(void attend(const FusedHead& head, std::size_t first, float* scratch);)

}  // namespace attn
