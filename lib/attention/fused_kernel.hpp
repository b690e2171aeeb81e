// The parts of fused attention that are compiled once per level; fused_attention.cpp puts them together.
#pragma once

#include <cstddef>

namespace attn {

// One head. The strides are the distances in memory between rows: `stride` is that of queries and keys.
struct FusedHead {
    const float* queries;  // (n, d_k)
    const float* keys;     // (n, d_k)
    const float* values;   // (n, d_v)
    float* result;         // (n, d_v)
    std::size_t stride, value_stride, result_stride;
    std::size_t n, d_k, d_v;
};

struct FusedKernel {
    // `queries` is the number of queries processed at a time. attend() computes that many rows of the result,
    // or as many as there are, from `first`, which must be a multiple of `queries`. `scratch` must have room
    // for scratch_size(head) numbers.
    std::size_t queries;
    std::size_t (*scratch_size)(const FusedHead& head);
    void (*attend)(const FusedHead& head, std::size_t first, float* scratch);
};

// The number of keys in a block. The maximum is taken, and the sums are rescaled, once per block, so the bits
// of the result depend on this number. It is a multiple of every level's `queries`.
inline constexpr std::size_t key_block = 192;

namespace baseline {
extern const FusedKernel fused_attention;
}
namespace v3 {
extern const FusedKernel fused_attention;
}
namespace v4 {
extern const FusedKernel fused_attention;
}

}  // namespace attn
