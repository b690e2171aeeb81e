// The cost of attention as sequences grow, compared with the document's O(n²d) and O(n²). Operations and
// bytes are counted for two methods: with all n × n scores in memory, and with tiles and a running maximum
// and sum. No time is measured.
#include <span>
#include <vector>

#include "notebook/ops.hpp"
#include "stages/stage.hpp"

namespace attn {

namespace {

constexpr std::size_t tile_size = 64;  // a tile has this many queries and this many keys

Number million() {
    return named({Leaf::From::number, 1e6}, {{"10**6", "10**6", "1e6"}, literal(1000000)});
}

Number mebi() {
    return named({Leaf::From::number, 1048576.0}, {{"2**20", "2**20", "1048576"}, literal(1048576)});
}

// Each term of a matrix product is a multiplication and an addition. Each score is also divided by √d_k,
// compared with the mask, filled, and takes 5 operations in softmax.
constexpr std::size_t per_term = 2 + 2;  // Q Kᵀ and A V, d terms each
constexpr std::size_t per_score = 1 + 1 + 1 + 5;

// The operations of a tile: the new maximum is found and subtracted from the scores and from the old maximum,
// and exp is taken. The results and sums so far are multiplied by a correction factor, and the new terms are
// added. Only tiles on the diagonal are masked. Each result is divided by its sum once, at the end.
constexpr std::size_t tile_cells = tile_size * tile_size;
constexpr std::size_t per_tile_pair_and_d = per_term * tile_cells + 2 * tile_size;
constexpr std::size_t per_tile_pair = (1 + 1 + 1 + 1 + 1) * tile_cells + (1 + 1 + 1 + 1 + 1) * tile_size;

// How many numbers are read and written. The first product writes n × n scores; the second reads n × n
// weights. Division, comparison and softmax read and write each score; filling reads the mask, too. `ones`
// writes the mask; `tril` reads it and writes it again.
constexpr std::size_t moved_per_score = (1 + 2 + 2 + 3 + 2 + 1) * sizeof(float);
constexpr std::size_t moved_per_number = (2 + 2) * sizeof(float);
constexpr std::size_t moved_per_mask_cell = (1 + 2) * sizeof(float);

Var given(Notebook& nb, std::span<const std::size_t> numbers) {
    std::vector<float> values;
    for (const std::size_t number : numbers) {
        values.push_back(float(number));
    }
    return nb.given(Tensor(Shape{values.size()}, values));
}

std::vector<std::size_t> tiles_of(std::span<const std::size_t> lengths) {
    std::vector<std::size_t> tiles;
    for (const std::size_t n : lengths) {
        tiles.push_back((n + tile_size - 1) / tile_size);
    }
    return tiles;
}

// (k,), (k,) → (k, 2)
Var by_way(Var left, Var right) {
    return transpose(stack({left, right}));
}

void walk_complexity(Notebook& nb, const Run& run) {
    const std::span<const std::size_t> lengths = run.parameters.sequence_lengths;
    const Number d = nb.line("d", literal(run.parameters.d_out));
    const Var tokens = nb.step({"tokens", "n", {"length"}}, given(nb, lengths));
    const Var pairs = nb.step({"pairs", "n²", {"length"}}, tokens * tokens);
    const Var n2d = nb.step({"n2d", "n²d", {"length"}}, pairs * d / million());
    const auto linear_in_d = [&](Var count, std::size_t per_d, std::size_t rest) {
        return count * d * literal(per_d) + count * literal(rest);
    };

    const Var materialised_operations = nb.line({"materialised_operations", "N_m", {"length"}},
                                                linear_in_d(pairs, per_term, per_score) / million());
    const Number tile = nb.line({"tile", "b"}, literal(tile_size));
    const Var tiles = nb.line({"tiles", "t", {"length"}}, given(nb, tiles_of(lengths)));
    const Var tile_pairs = nb.line({"tile_pairs", "t₂", {"length"}}, (tiles * tiles + tiles) / literal(2));
    const Var streaming_operations = nb.line({"streaming_operations", "N_s", {"length"}},
                                             (linear_in_d(tile_pairs, per_tile_pair_and_d, per_tile_pair) +
                                              linear_in_d(tiles, tile_size, tile_cells)) /
                                                 million());
    nb.step({"operations", "N", {"length", "way"}}, by_way(materialised_operations, streaming_operations));
    nb.step({"operations_per_n2d", "N′", {"length", "way"}},
            by_way(materialised_operations / n2d, streaming_operations / n2d));

    const Var materialised_bytes =
        nb.line({"materialised_bytes", "B_m", {"length"}},
                (pairs * literal(moved_per_score) + tokens * d * literal(moved_per_number)) / mebi());
    // Keys and values are read once per tile of queries that sees them. Queries are read once, and results
    // are written once.
    const Var streaming_bytes =
        nb.line({"streaming_bytes", "B_s", {"length"}},
                (tile_pairs + tiles) * tile * d * literal(2 * sizeof(float)) / mebi());
    nb.step({"bytes_moved", "B", {"length", "way"}}, by_way(materialised_bytes, streaming_bytes));

    // One tile's scores, sums of values, maxima and sums.
    const Var tile_rows = nb.line({"tile_rows", "r", {"length"}}, ones(nb, {literal(lengths.size())}) * tile);
    const Var in_tile = tile_rows * tile + tile_rows * d + tile_rows * literal(2);
    const Var held_whole =
        nb.line({"materialised_held", "H_m", {"length"}}, pairs * literal(sizeof(float)) / mebi());
    const Var held_in_tile =
        nb.line({"streaming_held", "H_s", {"length"}}, in_tile * literal(sizeof(float)) / mebi());
    nb.step({"bytes_held", "H", {"length", "way"}}, by_way(held_whole, held_in_tile));

    const Number sequences = nb.line({"sequences", "s"}, literal(run.parameters.batch));
    const Var mask_bytes =
        nb.step({"mask_bytes", "M", {"length"}}, pairs * literal(moved_per_mask_cell) / mebi());
    nb.step({"mask_bytes_moved", "M′", {"length", "mask"}}, by_way(mask_bytes * sequences, mask_bytes));
}

}  // namespace

extern const Stage complexity_stage{
    .name = "complexity",
    .settings = {"sequence_lengths", "d_out", "batch"},
    .defaults = {.d_out = 64, .batch = 8, .sequence_lengths = {256, 512, 1024, 2048}},
    .walk = walk_complexity,
    .head_layout = HeadLayout::none,
    .group = StageGroup::views,
    .why_no_gradients = "it only counts operations",
};

}  // namespace attn
