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
    float* packed;  // room for packed_size numbers
};

struct FusedKernel {
    // All rows of the result, one after the other: what the others below do with many queries at a time.
    void (*loop)(const FusedHead& head);

    // How many numbers the packed keys and values take, and the scratch of one thread.
    std::size_t (*packed_size)(std::size_t n, std::size_t d_k, std::size_t d_v);
    std::size_t (*scratch_size)(std::size_t d_k, std::size_t d_v);

    // Packs the keys and values, which `attend` then reads.
    void (*pack)(const FusedHead& head);

    // The result's rows from `first` on, `queries` of them or as many as there are. `first` is a multiple of
    // `queries`.
    std::size_t queries;
    void (*attend)(const FusedHead& head, std::size_t first, float* scratch);
};

// A multiple of every level's `queries`. The maximum is taken, and the sums rescaled, once per so many keys:
// part of what the bits depend on.
inline constexpr std::size_t key_block = 384;

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
