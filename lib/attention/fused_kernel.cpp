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
// The result is o / l. Each sum adds its terms one by one, so level and threads do not change the bits.
#include "attention/fused_kernel.hpp"
#include "tensor/tile.hpp"

namespace attn {

namespace {

constexpr float infinity = __builtin_inff();
static_assert(key_block % query_block == 0 && query_block % tile_width == 0 && tile_width % tile_rows == 0);

// Processes one vector of queries: replaces the scores s (count, tile_width) by the weights p, updates m and
// l, and rescales o, stored in sums (d_v, tile_width).
void weigh(float* scores, std::size_t count, float* sums, std::size_t d_v, Floats& maximum, Floats& total) {
    Floats next = maximum;
    for (std::size_t j = 0; j < count; ++j) {
        next = larger(load(scores + j * tile_width), next);
    }
    const Floats origin = next == -infinity ? Floats{} : next;  // −∞ − −∞ is NaN
    const Floats alpha = exp_of_negative<Integers>(maximum - origin);
    maximum = next;
    total *= alpha;
    for (std::size_t j = 0; j < count; ++j) {
        const Floats weight = exp_of_negative<Integers>(load(scores + j * tile_width) - origin);
        store(weight, scores + j * tile_width);
        total += weight;
    }
    for (std::size_t column = 0; column < d_v; ++column) {
        store(load(sums + column * tile_width) * alpha, sums + column * tile_width);
    }
}

// Processes the queries from `first` on: one tile, or fewer at the end.
void attend_from_tile(const FusedHead& head, std::size_t first, float* scratch) {
    float* const queries = scratch;                         // (d_k, tile_width): q/√d_k
    float* const scores = queries + head.d_k * tile_width;  // (key_block, tile_width): s, then p
    float* const sums = scores + key_block * tile_width;    // (d_v in whole tiles, tile_width): o
    const std::size_t count = smaller(tile_width, head.n - first);
    pack_transposed(head.queries + first * head.stride, head.stride, count, head.d_k, queries);
    const float scale = 1.0F / __builtin_sqrtf(static_cast<float>(head.d_k));
    for (std::size_t i = 0; i < head.d_k * tile_width; ++i) {
        queries[i] *= scale;
    }
    for (std::size_t i = 0; i < (head.d_v + tile_rows) * tile_width; ++i) {
        sums[i] = 0.0F;
    }
    Floats maximum[across];
    Floats total[across] = {};
    for (Floats& vector : maximum) {
        vector = Floats{} - infinity;
    }
    const std::size_t end = first + count;  // the last of these queries sees the keys before this one
    for (std::size_t key = 0; key < end; key += key_block) {
        const std::size_t keys = smaller(key_block, end - key);
        for (std::size_t j = 0; j < keys; j += tile_rows) {
            multiply_tile<true>({head.keys + (key + j) * head.stride, head.stride, 1, keys - j}, queries,
                                head.d_k, scores + j * tile_width, tile_width);
        }
        for (std::size_t j = key < first ? smaller(keys, first - key) : 0; j < keys; ++j) {
            for (std::size_t query = 0; query < key + j - first; ++query) {
                scores[j * tile_width + query] = -infinity;
            }
        }
        for (std::size_t i = 0; i < across; ++i) {
            weigh(scores + i * lanes, keys, sums + i * lanes, head.d_v, maximum[i], total[i]);
        }
        for (std::size_t column = 0; column < head.d_v; column += tile_rows) {
            multiply_tile(
                {head.values + key * head.value_stride + column, 1, head.value_stride, head.d_v - column},
                scores, keys, sums + column * tile_width, tile_width);
        }
    }
    for (std::size_t query = 0; query < count; ++query) {
        float* const row = head.result + (first + query) * head.value_stride;
        for (std::size_t column = 0; column < head.d_v; ++column) {
            row[column] = sums[column * tile_width + query] / total[query / lanes][query % lanes];
        }
    }
}

}  // namespace

void ATTN_LEVEL::attend(const FusedHead& head, std::size_t first, float* scratch) {
    for (std::size_t tile = first; tile < smaller(first + query_block, head.n); tile += tile_width) {
        attend_from_tile(head, tile, scratch);
    }
}

}  // namespace attn
