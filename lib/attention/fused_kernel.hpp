// The part of fused attention that is compiled once per level; fused_attention.cpp finds the heads.
#pragma once

#include <cstddef>

#include "tensor/levels.hpp"

namespace attn {

// One head. The strides are the distances in memory between rows: `stride` is that of queries and keys.
struct FusedHead {
    const float* queries;  // (n, d_k)
    const float* keys;     // (n, d_k)
    const float* values;   // (n, d_v)
    float* result;         // (n, d_v)
    std::size_t stride, value_stride;
    std::size_t n, d_k, d_v;
};

// The number of keys in a block. The maximum is taken, and the sums are rescaled, once per block, so the bits
// of the result depend on this number.
inline constexpr std::size_t key_block = 192;

// The number of queries of one call: whole tiles at every level; it divides the number of keys in a block.
inline constexpr std::size_t query_block = 48;

// The size of `scratch`, in numbers.
inline std::size_t fused_scratch(const FusedHead& head) {
    constexpr std::size_t tile_rows = 8;
    return (head.d_k + key_block + head.d_v + tile_rows) * query_block;
}

// Computes query_block rows of the result, or as many as there are, from `first`, a multiple of query_block.
ATTN_AT_EACH_LEVEL(void attend(const FusedHead& head, std::size_t first, float* scratch);)

}  // namespace attn
