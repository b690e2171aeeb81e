// The parts of fused attention that are compiled once per level; fused_attention.cpp puts them together.
#pragma once

#include <cstddef>

namespace attn {

// One head. Rows of queries, keys, values and result are `stride` numbers of theirs apart.
struct FusedHead {
    const float* queries;
    const float* keys;
    const float* values;
    float* result;
    std::size_t stride, value_stride;  // of queries and keys; of values and result
    std::size_t n, d_k, d_v;
    float* packed;  // its keys and values, packed
};

struct FusedKernel {
    // How many numbers the packed keys and values take, and the scratch of one thread.
    std::size_t (*packed_size)(std::size_t n, std::size_t d_k, std::size_t d_v);
    std::size_t (*scratch_size)(std::size_t d_k, std::size_t d_v);

    void (*pack)(const FusedHead& head);

    // The result's rows from `first` on, query_block of them or as many as there are. `first` is a multiple
    // of query_block.
    void (*attend)(const FusedHead& head, std::size_t first, float* scratch);
};

// Both are multiples of every level's tile.
inline constexpr std::size_t query_block = 96;
inline constexpr std::size_t key_block = 384;  // part of what the bits depend on

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
