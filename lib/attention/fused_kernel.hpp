// The parts of fused attention that are compiled once per level; fused_attention.cpp puts them together.
#pragma once

#include <cstddef>

namespace attn {

// One head. Rows are so many numbers apart: of queries and keys `stride`.
struct FusedHead {
    const float* queries;  // (n, d_k)
    const float* keys;     // (n, d_k)
    const float* values;   // (n, d_v)
    float* result;         // (n, d_v)
    std::size_t stride, value_stride, result_stride;
    std::size_t n, d_k, d_v;
};

struct FusedKernel {
    // Queries that are attended from at a time. The result's rows from `first` on, a multiple of it, as many
    // or as there are. `scratch` has room for scratch_size numbers.
    std::size_t queries;
    std::size_t (*scratch_size)(const FusedHead& head);
    void (*attend)(const FusedHead& head, std::size_t first, float* scratch);
};

// Keys whose scores are held at a time: the maximum is taken, and the sums rescaled, once per block. Part of
// what the bits depend on, and a multiple of every level's `queries`.
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
