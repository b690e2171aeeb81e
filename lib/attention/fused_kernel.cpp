// Attention with a running maximum and sum (Milakov and Gimelshein, "Online normalizer calculation for
// softmax", 2018; Dao et al., "FlashAttention", 2022): first as a plain loop, then for many queries at a
// time, in tiles that stay in registers. Both give the same bits, and a query's depend on its own past alone.
#include "attention/fused_kernel.hpp"

#include <type_traits>

#include "tensor/exp.hpp"
#include "tensor/tile.hpp"

namespace attn {

namespace {

constexpr float infinity = __builtin_inff();

[[gnu::always_inline]] inline std::size_t at_most(std::size_t a, std::size_t b) {
    return a < b ? a : b;
}

// The queries are divided by √d_k beforehand: times 1/√d_k, rounded.
float scale(const FusedHead& head) {
    return 1.0F / __builtin_sqrtf(static_cast<float>(head.d_k));
}

// Weights p_j are summed in so many lanes, p_j in lane j mod 16, and the lanes folded in halves.
constexpr std::size_t sum_lanes = 16;

template <class Sum>
[[gnu::always_inline]] inline Sum folded(Sum* lane_sums) {
    for (std::size_t half = sum_lanes / 2; half > 0; half /= 2) {
        for (std::size_t lane = 0; lane < half; ++lane) {
            lane_sums[lane] += lane_sums[lane + half];
        }
    }
    return lane_sums[0];
}

// One query q, the i-th: its result o / l after all keys 0 to i, in blocks of key_block.
void attend_query(const FusedHead& head, std::size_t i) {
    const float factor = scale(head);
    const float* const query = head.queries + i * head.stride;
    float* const sums = head.result + i * head.result_stride;  // o
    float maximum = -infinity;                                 // m
    float total = 0.0F;                                        // l
    for (std::size_t column = 0; column < head.d_v; ++column) {
        sums[column] = 0.0F;
    }
    for (std::size_t first = 0; first <= i; first += key_block) {
        const std::size_t count = at_most(key_block, i + 1 - first);
        const float* const keys = head.keys + first * head.stride;
        const float* const values = head.values + first * head.value_stride;

        // s_j = q/√d_k · k_j, one fused multiply-add per term
        float scores[key_block];
        for (std::size_t j = 0; j < count; ++j) {
            scores[j] = 0.0F;
            for (std::size_t k = 0; k < head.d_k; ++k) {
                scores[j] = fused(query[k] * factor, keys[j * head.stride + k], scores[j]);
            }
        }
        // m' = max(m, s), NaN passed over. α = exp(m − m'), which is for the sums so far
        float next = maximum;
        for (std::size_t j = 0; j < count; ++j) {
            next = scores[j] > next ? scores[j] : next;
        }
        const float origin = next == -infinity ? 0.0F : next;  // −∞ − −∞ is no number
        const float alpha = exp(maximum - origin);
        maximum = next;
        // p_j = exp(s_j − m'), l = l·α + Σ p_j
        float* const weights = scores;
        float lane_sums[sum_lanes] = {};
        for (std::size_t j = 0; j < count; ++j) {
            weights[j] = exp(scores[j] - origin);
            lane_sums[j % sum_lanes] += weights[j];
        }
        total = fused(total, alpha, folded(lane_sums));
        // o = o·α + Σ p_j v_j, j ascending
        for (std::size_t column = 0; column < head.d_v; ++column) {
            sums[column] *= alpha;
            for (std::size_t j = 0; j < count; ++j) {
                sums[column] = fused(weights[j], values[j * head.value_stride + column], sums[column]);
            }
        }
    }
    for (std::size_t column = 0; column < head.d_v; ++column) {
        sums[column] /= total;
    }
}

void attend_loop(const FusedHead& head) {
    for (std::size_t i = 0; i < head.n; ++i) {
        attend_query(head, i);
    }
}

// Many queries at a time: each has a lane, in three vectors. All that a query has of its own, maximum, sums
// and weights, is in its lane, and nothing ever goes from one lane to another.
constexpr std::size_t across = 3;
using QueryTile = Tile<across>;
constexpr std::size_t tile_queries = QueryTile::width;
constexpr std::size_t tile_rows = QueryTile::rows;  // keys of scores, columns of sums
static_assert(key_block % tile_queries == 0 && tile_queries % tile_rows == 0);

struct PerQuery {
    Floats vectors[across];
};

std::size_t whole_tiles(std::size_t rows) {
    return (rows + tile_rows - 1) / tile_rows * tile_rows;
}

// Keys packed: one after the other, filled up with zeros to whole tiles. Those of heads side by side may lie
// so far apart, as GPT-2's 9,216 bytes, that they share a quarter of a cache.
const float* packed_keys(const FusedHead& head) {
    return head.packed;
}

// Values packed: tile_rows columns of all of them, then the next, the last ones filled up with zeros.
const float* packed_values(const FusedHead& head) {
    return head.packed + whole_tiles(head.n) * head.d_k;
}

std::size_t packed_size(std::size_t n, std::size_t d_k, std::size_t d_v) {
    return whole_tiles(n) * d_k + n * whole_tiles(d_v);
}

void pack(const FusedHead& head) {
    float* __restrict packed = head.packed;
    for (std::size_t j = 0; j < head.n; ++j) {
        __builtin_memcpy(packed, head.keys + j * head.stride, head.d_k * sizeof(float));
        packed += head.d_k;
    }
    for (std::size_t i = 0; i < (whole_tiles(head.n) - head.n) * head.d_k; ++i) {
        *packed++ = 0.0F;
    }
    for (std::size_t first = 0; first < head.d_v; first += tile_rows) {
        const std::size_t columns = at_most(tile_rows, head.d_v - first);
        for (std::size_t j = 0; j < head.n; ++j) {
            const float* const value = head.values + j * head.value_stride + first;
            if (columns == tile_rows) {
                __builtin_memcpy(packed, value, tile_rows * sizeof(float));
            } else {
                for (std::size_t i = 0; i < tile_rows; ++i) {
                    packed[i] = i < columns ? value[i] : 0.0F;
                }
            }
            packed += tile_rows;
        }
    }
}

// What a thread works with; numbers of one query stand below each other, tile_queries apart.
struct Room {
    float* queries;  // (d_k, tile_queries), divided by √d_k
    float* scores;   // (key_block, tile_queries): s, then p
    float* sums;     // (d_v in whole tiles, tile_queries): o
};

std::size_t scratch_size(std::size_t d_k, std::size_t d_v) {
    return (d_k + key_block + whole_tiles(d_v)) * tile_queries;
}

Room room(const FusedHead& head, float* scratch) {
    float* const scores = scratch + head.d_k * tile_queries;
    return {scratch, scores, scores + key_block * tile_queries};
}

// q/√d_k of the queries from `first` on. Where there are fewer than lanes, the others' are 0.
void scale_queries(const FusedHead& head, std::size_t first, float* queries) {
    const float factor = scale(head);
    const std::size_t count = at_most(tile_queries, head.n - first);
    for (std::size_t i = 0; count < tile_queries && i < head.d_k * tile_queries; ++i) {
        queries[i] = 0.0F;
    }
    transpose(head.queries + first * head.stride, head.stride, count, head.d_k, queries, tile_queries);
    for (std::size_t i = 0; i < head.d_k * tile_queries; ++i) {
        queries[i] *= factor;
    }
}

// The tokens of the queries are keys, too, each hidden from the queries before it. Where the key is `behind`
// tokens after the first query's, the vectors before `from` are of queries that see none of it, and the lanes
// of that vector see it from behind % lanes on. work(from), the number a constant.
template <class Work>
[[gnu::always_inline]] inline void with_first_vector(std::size_t behind, Work work) {
    static_assert(across == 3);
    switch (behind / lanes) {
        case 0:
            return work(std::integral_constant<std::size_t, 0>());
        case 1:
            return work(std::integral_constant<std::size_t, 1>());
        default:
            return work(std::integral_constant<std::size_t, 2>());
    }
}

[[gnu::always_inline]] inline Integers lanes_that_see(std::size_t behind) {
    return lane_numbers() >= static_cast<std::int32_t>(behind % lanes);
}

// s_j = q/√d_k · k_j for tile_rows keys, and m = max(m, s), where the queries see the keys.
template <std::size_t from, bool hides>
[[gnu::always_inline]] inline void score_tile(const float* keys, std::size_t d_k, std::size_t behind,
                                              const Room& room, float* scores, PerQuery& maximum) {
    QueryTile tile{};
    tile.add_product<from>(keys, d_k, 1, room.queries, d_k);
#pragma GCC unroll 8
    for (std::size_t row = 0; row < tile_rows; ++row) {
        if (hides) {
            Floats& partly = tile.sums[row][from];
            partly = lanes_that_see(behind + row) ? partly : Floats{} - infinity;
        }
#pragma GCC unroll 4
        for (std::size_t i = from; i < across; ++i) {
            maximum.vectors[i] = larger(tile.sums[row][i], maximum.vectors[i]);
        }
    }
    tile.store_to(scores, tile_queries);
}

// The same for `count` keys from `key` on.
void score_keys(const FusedHead& head, std::size_t first, std::size_t key, std::size_t count,
                const Room& room, PerQuery& maximum) {
    for (std::size_t j = 0; j < count; j += tile_rows) {
        const float* const keys = packed_keys(head) + (key + j) * head.d_k;
        float* const scores = room.scores + j * tile_queries;
        if (key + j < first) {
            score_tile<0, false>(keys, head.d_k, 0, room, scores, maximum);
        } else {
            const std::size_t behind = key + j - first;
            with_first_vector(behind, [&](auto from) {
                score_tile<from, true>(keys, head.d_k, behind, room, scores, maximum);
            });
        }
    }
}

// p_j = exp(s_j − m') in the place of s_j, added to the sums.
template <std::size_t from>
[[gnu::always_inline]] inline void weigh_key(float* scores, const PerQuery& origin, PerQuery& sums) {
#pragma GCC unroll 4
    for (std::size_t i = from; i < across; ++i) {
        const Floats weight = exp_of_negative(load(scores + i * lanes) - origin.vectors[i]);
        store(weight, scores + i * lanes);
        sums.vectors[i] += weight;
    }
}

// The same for `seen` keys that all queries see, and those up to `count` on the diagonal. Each lane's sums.
void weigh_scores(float* scores, std::size_t seen, std::size_t count, const PerQuery& origin,
                  PerQuery* lane_sums) {
    for (std::size_t lane = 0; lane < sum_lanes; ++lane) {
        PerQuery sums{};
        for (std::size_t j = lane; j < seen; j += sum_lanes) {
            weigh_key<0>(scores + j * tile_queries, origin, sums);
        }
        lane_sums[lane] = sums;
    }
    for (std::size_t j = seen; j < count; ++j) {
        with_first_vector(j - seen, [&](auto from) {
            weigh_key<from>(scores + j * tile_queries, origin, lane_sums[j % sum_lanes]);
        });
    }
}

// o·α + Σ p_j v_j, j ascending, of tile_rows columns, for the same keys.
void sum_values(const float* weights, const float* values, std::size_t seen, std::size_t count,
                const PerQuery& alpha, float* sums) {
    QueryTile tile;
    tile.load_from(sums, tile_queries);
#pragma GCC unroll 8
    for (std::size_t row = 0; row < tile_rows; ++row) {
#pragma GCC unroll 4
        for (std::size_t i = 0; i < across; ++i) {
            tile.sums[row][i] *= alpha.vectors[i];
        }
    }
    tile.add_product(values, 1, tile_rows, weights, seen);
    for (std::size_t j = seen; j < count; j += lanes) {
        with_first_vector(j - seen, [&](auto from) {
            for (std::size_t lane = 0; lane < at_most(lanes, count - j); ++lane) {
                const QueryTile before = tile;
                tile.add_term<from>(values + (j + lane) * tile_rows, 1, weights + (j + lane) * tile_queries);
                const Integers see = lanes_that_see(lane);
#pragma GCC unroll 8
                for (std::size_t row = 0; row < tile_rows; ++row) {
                    tile.sums[row][from] = see ? tile.sums[row][from] : before.sums[row][from];
                }
            }
        });
    }
    tile.store_to(sums, tile_queries);
}

void attend(const FusedHead& head, std::size_t first, float* scratch) {
    const Room own = room(head, scratch);
    scale_queries(head, first, own.queries);
    PerQuery maximum;
    PerQuery total{};
    for (Floats& vector : maximum.vectors) {
        vector = Floats{} - infinity;
    }
    for (std::size_t i = 0; i < whole_tiles(head.d_v) * tile_queries; ++i) {
        own.sums[i] = 0.0F;
    }
    const std::size_t end =
        at_most(first + tile_queries, head.n);  // of the keys that any of the queries sees
    for (std::size_t key = 0; key < end; key += key_block) {
        const std::size_t count = at_most(key_block, end - key);
        PerQuery next = maximum;
        score_keys(head, first, key, count, own, next);
        PerQuery origin;
        PerQuery alpha;
#pragma GCC unroll 4
        for (std::size_t i = 0; i < across; ++i) {
            const Floats& most = next.vectors[i];
            origin.vectors[i] = most == -infinity ? Floats{} : most;  // −∞ − −∞ is no number
            alpha.vectors[i] = exp_of_negative(maximum.vectors[i] - origin.vectors[i]);
        }
        maximum = next;
        PerQuery lane_sums[sum_lanes];
        const std::size_t seen = key < first ? at_most(key_block, first - key) : 0;
        weigh_scores(own.scores, seen, count, origin, lane_sums);
        for (std::size_t column = 0; column < head.d_v; column += tile_rows) {
            const float* const values = packed_values(head) + column * head.n + key * tile_rows;
            sum_values(own.scores, values, seen, count, alpha, own.sums + column * tile_queries);
        }
        for (std::size_t i = 0; i < across; ++i) {
            Floats sums[sum_lanes];
            for (std::size_t lane = 0; lane < sum_lanes; ++lane) {
                sums[lane] = lane_sums[lane].vectors[i];
            }
            total.vectors[i] = fused(total.vectors[i], alpha.vectors[i], folded(sums));
        }
    }
    for (std::size_t column = 0; column < head.d_v; ++column) {
        for (std::size_t i = 0; i < across; ++i) {
            float* const sums = own.sums + column * tile_queries + i * lanes;
            store(load(sums) / total.vectors[i], sums);
        }
    }
    transpose(own.sums, tile_queries, head.d_v, end - first, head.result + first * head.result_stride,
              head.result_stride);
}

}  // namespace

namespace ATTN_LEVEL {

const FusedKernel fused_attention{attend_loop, packed_size, scratch_size, pack, tile_queries, attend};

}  // namespace ATTN_LEVEL

}  // namespace attn
