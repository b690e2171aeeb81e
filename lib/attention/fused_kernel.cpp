// Attention with a running maximum and sum (Milakov and Gimelshein, "Online normalizer calculation for
// softmax", 2018; Dao et al., "FlashAttention", 2022) on tiles that stay in registers. Each query sees its
// keys 0 to i in blocks of key_block, and for each block of scores s
//
//     m'  = max(m, s)                         a maximum has no order
//     p_j = exp(s_j − m'),  α = exp(m − m')
//     l   = fma(l, α, Σ p_j)                  in 16 lanes, folded in halves
//     o   = o·α, then fma(p_j, v_j, o)        j ascending
//
// beginning with m = −∞, l = 0, o = 0; the result is o / l. The queries are divided by √d_k beforehand (times
// 1/√d_k, rounded), and s_j = fma chain over d_k. A query's bits depend on its own past alone.
#include "attention/fused_kernel.hpp"

#include "tensor/exp.hpp"
#include "tensor/tile.hpp"

namespace attn {

namespace {

constexpr std::size_t groups = query_block / tile_rows;
constexpr std::size_t sum_lanes = 16;
constexpr std::size_t key_step = tile_columns > sum_lanes ? tile_columns : sum_lanes;  // keys are padded to
static_assert(query_block % tile_rows == 0 && key_block % tile_rows == 0 && key_block % key_step == 0);
constexpr float infinity = __builtin_inff();

[[gnu::always_inline]] inline std::size_t round_up(std::size_t n, std::size_t to) {
    return (n + to - 1) / to * to;
}

// Packed, in panels without gaps and filled up with zeros: keys (tile_columns of them; d_k high), then values
// (tile_columns of the d_v; all keys high).
std::size_t rows_packed(std::size_t n) {
    return round_up(round_up(n, tile_rows), key_step);
}

std::size_t packed_size(std::size_t n, std::size_t d_k, std::size_t d_v) {
    return rows_packed(n) * (d_k + round_up(d_v, tile_columns));
}

void pack(const FusedHead& head) {
    const std::size_t rows = rows_packed(head.n);
    float* __restrict packed = head.packed;
    for (std::size_t first = 0; first < rows; first += tile_columns) {
        const float* const keys = head.keys + first * head.stride;
        for (std::size_t i = 0; i < head.d_k; ++i) {
            if (first + tile_columns <= head.n) {
                for (std::size_t key = 0; key < tile_columns; ++key) {
                    packed[key] = keys[key * head.stride + i];
                }
            } else {
                for (std::size_t key = 0; key < tile_columns; ++key) {
                    packed[key] = first + key < head.n ? keys[key * head.stride + i] : 0.0F;
                }
            }
            packed += tile_columns;
        }
    }
    for (std::size_t first = 0; first < head.d_v; first += tile_columns) {
        for (std::size_t key = 0; key < rows; ++key) {
            const float* const value = head.values + key * head.value_stride + first;
            if (key < head.n && head.d_v - first >= tile_columns) {
                store(load(value), packed);
                store(load(value + lanes), packed + lanes);
            } else {
                for (std::size_t i = 0; i < tile_columns; ++i) {
                    packed[i] = key < head.n && first + i < head.d_v ? value[i] : 0.0F;
                }
            }
            packed += tile_columns;
        }
    }
}

// What is kept of one tile's rows of queries from block to block.
struct Group {
    float* queries;  // (d_k, tile_rows), divided by √d_k
    float* sums;     // (tile_rows, d_v rounded up): o
    float maximum[tile_rows];
    float total[tile_rows];
};

std::size_t group_size(std::size_t d_k, std::size_t d_v) {
    return tile_rows * (d_k + round_up(d_v, tile_columns));
}

// Behind the groups: the scores of one tile's rows, then their weights.
std::size_t scratch_size(std::size_t d_k, std::size_t d_v) {
    return groups * group_size(d_k, d_v) + tile_rows * key_block;
}

void begin(const FusedHead& head, std::size_t first, Group& group) {
    const float scale = 1.0F / __builtin_sqrtf(static_cast<float>(head.d_k));
    for (std::size_t row = 0; row < tile_rows; ++row) {
        const float* const query = head.queries + (first + row) * head.stride;
        for (std::size_t i = 0; i < head.d_k; ++i) {
            group.queries[i * tile_rows + row] = first + row < head.n ? query[i] * scale : 0.0F;
        }
        group.maximum[row] = -infinity;
        group.total[row] = 0.0F;
    }
    for (std::size_t i = 0; i < tile_rows * round_up(head.d_v, tile_columns); ++i) {
        group.sums[i] = 0.0F;
    }
}

void score(const float* queries, const float* keys, std::size_t d_k, float* scores) {
    Tile tile{};
    tile.add_product<1, tile_rows>(queries, keys, d_k);
    tile.store_to(scores, key_block);
}

// Scores become weights; returns their sum.
float weigh(float* scores, std::size_t width, float maximum) {
    float sums[sum_lanes] = {};
    for (std::size_t key = 0; key < width; key += sum_lanes) {
        for (std::size_t lane = 0; lane < sum_lanes; ++lane) {
            const float weight = exp(scores[key + lane] - maximum);
            scores[key + lane] = weight;
            sums[lane] += weight;
        }
    }
    for (std::size_t half = sum_lanes / 2; half > 0; half /= 2) {
        for (std::size_t lane = 0; lane < half; ++lane) {
            sums[lane] += sums[lane + half];
        }
    }
    return sums[0];
}

// o·α plus weights × values: `full` keys that every row sees, then, on the diagonal, as many as there are
// rows, of which row r sees those up to r.
void gather(const float* weights, const float* alpha, const float* values, std::size_t full, bool diagonal,
            float* sums, std::size_t stride) {
    Tile tile;
    tile.load_from(sums, stride);
#pragma GCC unroll 16
    for (std::size_t row = 0; row < tile_rows; ++row) {
        tile.sums[row][0] *= alpha[row];
        tile.sums[row][1] *= alpha[row];
    }
    tile.add_product<key_block, 1>(weights, values, full);
    if (diagonal) {
        weights += full;
        values += full * tile_columns;
#pragma GCC unroll 16
        for (std::size_t key = 0; key < tile_rows; ++key) {
            const Floats left = load(values + key * tile_columns);
            const Floats right = load(values + key * tile_columns + lanes);
#pragma GCC unroll 16
            for (std::size_t row = 0; row < tile_rows; ++row) {
                if (row >= key) {
                    const float weight = weights[row * key_block + key];
                    tile.sums[row][0] = fma(weight, left, tile.sums[row][0]);
                    tile.sums[row][1] = fma(weight, right, tile.sums[row][1]);
                }
            }
        }
    }
    tile.store_to(sums, stride);
}

// One block of keys, from `key` on, for the rows of queries from `row` on, which see at least one of them.
void attend_block(const FusedHead& head, std::size_t row, std::size_t key, Group& group, float* weights) {
    const bool diagonal = key + key_block > row;
    const std::size_t full = diagonal ? row - key : key_block;
    const std::size_t width = diagonal ? round_up(full + tile_rows, key_step) : key_block;
    for (std::size_t panel = 0; panel < width; panel += tile_columns) {
        score(group.queries, head.packed + (key + panel) * head.d_k, head.d_k, weights + panel);
    }
    float alpha[tile_rows];
    for (std::size_t r = 0; r < tile_rows; ++r) {
        float* const scores = weights + r * key_block;
        for (std::size_t hidden = full + r + 1; hidden < width; ++hidden) {
            scores[hidden] = -infinity;
        }
        const float here = largest(scores, width);
        const float maximum = here > group.maximum[r] ? here : group.maximum[r];
        const float origin = maximum == -infinity ? 0.0F : maximum;  // −∞ − −∞ is no number
        alpha[r] = exp(group.maximum[r] - origin);
        group.maximum[r] = maximum;
        group.total[r] = __builtin_fmaf(group.total[r], alpha[r], weigh(scores, width, origin));
    }
    const std::size_t rows = rows_packed(head.n);
    const std::size_t stride = round_up(head.d_v, tile_columns);
    const float* const values = head.packed + rows * head.d_k + key * tile_columns;
    for (std::size_t column = 0; column < stride; column += tile_columns) {
        gather(weights, alpha, values + rows * column, full, diagonal, group.sums + column, stride);
    }
}

void finish(const FusedHead& head, std::size_t first, const Group& group) {
    const std::size_t stride = round_up(head.d_v, tile_columns);
    for (std::size_t row = 0; row < tile_rows && first + row < head.n; ++row) {
        float* const result = head.result + (first + row) * head.value_stride;
        for (std::size_t i = 0; i < head.d_v; ++i) {
            result[i] = group.sums[row * stride + i] / group.total[row];
        }
    }
}

void attend(const FusedHead& head, std::size_t first, float* scratch) {
    Group group[groups];
    std::size_t count = 0;
    for (; count < groups && first + count * tile_rows < head.n; ++count) {
        group[count].queries = scratch + count * group_size(head.d_k, head.d_v);
        group[count].sums = group[count].queries + tile_rows * head.d_k;
        begin(head, first + count * tile_rows, group[count]);
    }
    float* const weights = scratch + groups * group_size(head.d_k, head.d_v);
    // Every group goes over a block of keys while it is in the cache. Blocks of keys begin where blocks of
    // queries do, so that none lies beyond the rows of a group.
    static_assert(key_block % query_block == 0);
    for (std::size_t key = 0; key < first + count * tile_rows; key += key_block) {
        for (std::size_t i = 0; i < count; ++i) {
            attend_block(head, first + i * tile_rows, key, group[i], weights);
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        finish(head, first + i * tile_rows, group[i]);
    }
}

}  // namespace

namespace ATTN_LEVEL {

const FusedKernel fused_attention{packed_size, scratch_size, pack, attend};

}  // namespace ATTN_LEVEL

}  // namespace attn
