// Attention with a running maximum and sum (Milakov and Gimelshein, "Online normalizer calculation for
// softmax", 2018; Dao et al., "FlashAttention", 2022), for many queries at a time, one per lane. For each
// query and each block of keys, in ascending order:
//
//     s_j = q/√d_k · k_j
//     m'  = max(m, s_j)              NaN is skipped
//     α   = exp(m − m')
//     p_j = exp(s_j − m')            0 where key j is later than the query
//     l   = l·α + p_0 + p_1 + …
//     o   = o·α + p_0·v_0 + p_1·v_1 + …
//
// The result is o / l. Each sum adds its terms one by one, so the bits depend on neither level nor threads.
#include "attention/fused_kernel.hpp"

#include "tensor/exp.hpp"
#include "tensor/tile.hpp"

namespace attn {

namespace {

constexpr float infinity = __builtin_inff();
static_assert(key_block % tile_width == 0 && tile_width % tile_rows == 0);

std::size_t whole_tiles(std::size_t rows) {
    return (rows + tile_rows - 1) / tile_rows * tile_rows;
}

std::size_t scratch_size(const FusedHead& head) {
    return (head.d_k + key_block + whole_tiles(head.d_v)) * tile_width;
}

// The m and l of each query between blocks of keys, and α of the last block.
struct Running {
    Floats maximum[across], total[across], alpha[across];
};

// Replaces the scores s (count, tile_width) by the weights p, and updates m, l and α.
void weigh(float* scores, std::size_t count, Running& running) {
    Floats next[across];
    Floats origin[across];
    Floats total[across];
#pragma GCC unroll 4
    for (std::size_t i = 0; i < across; ++i) {
        next[i] = running.maximum[i];
    }
    for (std::size_t j = 0; j < count; ++j) {
#pragma GCC unroll 4
        for (std::size_t i = 0; i < across; ++i) {
            next[i] = larger(load(scores + j * tile_width + i * lanes), next[i]);
        }
    }
#pragma GCC unroll 4
    for (std::size_t i = 0; i < across; ++i) {
        origin[i] = next[i] == -infinity ? Floats{} : next[i];  // −∞ − −∞ is NaN
        running.alpha[i] = exp_of_negative(running.maximum[i] - origin[i]);
        running.maximum[i] = next[i];
        total[i] = running.total[i] * running.alpha[i];
    }
    for (std::size_t j = 0; j < count; ++j) {
#pragma GCC unroll 4
        for (std::size_t i = 0; i < across; ++i) {
            float* const score = scores + j * tile_width + i * lanes;
            const Floats weight = exp_of_negative(load(score) - origin[i]);
            store(weight, score);
            total[i] += weight;
        }
    }
#pragma GCC unroll 4
    for (std::size_t i = 0; i < across; ++i) {
        running.total[i] = total[i];
    }
}

// Processes the block of keys that starts at `key`, for the queries that start at `first`.
void attend_block(const FusedHead& head, std::size_t first, std::size_t key, std::size_t count,
                  const float* queries, float* scores, float* sums, Running& running) {
    for (std::size_t j = 0; j < count; j += tile_rows) {
        multiply_tile<true>({head.keys + (key + j) * head.stride, head.stride, 1, count - j}, queries,
                            head.d_k, scores + j * tile_width, tile_width);
    }
    for (std::size_t j = key < first ? smaller(count, first - key) : 0; j < count; ++j) {
        for (std::size_t query = 0; query < key + j - first; ++query) {
            scores[j * tile_width + query] = -infinity;
        }
    }
    weigh(scores, count, running);
    for (std::size_t column = 0; column < head.d_v; ++column) {
        for (std::size_t i = 0; i < across; ++i) {
            float* const sum = sums + column * tile_width + i * lanes;
            store(load(sum) * running.alpha[i], sum);
        }
    }
    for (std::size_t column = 0; column < head.d_v; column += tile_rows) {
        multiply_tile(
            {head.values + key * head.value_stride + column, 1, head.value_stride, head.d_v - column}, scores,
            count, sums + column * tile_width, tile_width);
    }
}

void attend(const FusedHead& head, std::size_t first, float* scratch) {
    float* const queries = scratch;                         // (d_k, tile_width): q/√d_k
    float* const scores = queries + head.d_k * tile_width;  // (key_block, tile_width): s, then p
    float* const sums = scores + key_block * tile_width;    // (d_v in whole tiles, tile_width): o
    const std::size_t count = smaller(tile_width, head.n - first);
    pack_transposed(head.queries + first * head.stride, head.stride, count, head.d_k, queries);
    const float scale = 1.0F / __builtin_sqrtf(static_cast<float>(head.d_k));
    for (std::size_t i = 0; i < head.d_k * tile_width; ++i) {
        queries[i] *= scale;
    }
    for (std::size_t i = 0; i < whole_tiles(head.d_v) * tile_width; ++i) {
        sums[i] = 0.0F;
    }
    Running running{};
    for (Floats& vector : running.maximum) {
        vector = Floats{} - infinity;
    }
    for (std::size_t key = 0; key < first + count; key += key_block) {
        attend_block(head, first, key, smaller(key_block, first + count - key), queries, scores, sums,
                     running);
    }
    for (std::size_t query = 0; query < count; ++query) {
        const float divisor = running.total[query / lanes][query % lanes];
        float* const row = head.result + (first + query) * head.result_stride;
        for (std::size_t column = 0; column < head.d_v; ++column) {
            row[column] = sums[column * tile_width + query] / divisor;
        }
    }
}

}  // namespace

namespace ATTN_LEVEL {

const FusedKernel fused_attention{tile_width, scratch_size, attend};

}  // namespace ATTN_LEVEL

}  // namespace attn
