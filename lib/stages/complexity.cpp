// What attention costs as sequences grow, beside the document's O(n²d) and O(n²): with the n × n scores
// written out, and tile by tile with a running maximum and sum. What an operation costs is asked of its row;
// times are not this stage's.
#include <span>
#include <vector>

#include "notebook/ops.hpp"
#include "stages/stage.hpp"

namespace attn {

namespace {

constexpr std::size_t tile_size = 64;  // queries, and keys, of a tile

Number million() {
    return {1e6, {"10**6", "10**6", "1e6"}, digits("1000000")};
}

Number mebi() {
    return {1048576.0, {"2**20", "2**20", "1048576"}, digits("1048576")};
}

Cost cost_of(const Notebook& notebook) {
    Cost total;
    for (const Node& node : notebook.nodes()) {
        const std::vector<const Tensor*> operands = notebook.operands(node.call);
        const Cost cost = node.call.operation->cost(operands, node.value);
        total.operations += cost.operations;
        total.bytes += cost.bytes;
    }
    return total;
}

Var zeros(Notebook& nb, std::size_t rows, std::size_t columns) {
    return nb.given(Tensor(Shape{rows, columns}));
}

// Document 003's lines from Q, K, V and a mask that is there already.
Cost materialised(std::size_t n, std::size_t d) {
    Notebook nb;
    const Var K = zeros(nb, n, d);
    const Var scores = matmul(zeros(nb, n, d), transpose(K)) / root_dk(K);
    const Var masked = masked_fill(scores, eq(zeros(nb, n, n), literal(0)), minus_infinity());
    matmul(softmax(masked, -1), zeros(nb, n, d));
    return cost_of(nb);
}

// A tile of queries meets a tile of keys and values.
Cost tile_pair(std::size_t d) {
    Notebook nb;
    const Var K = zeros(nb, tile_size, d);
    const Var maximum = zeros(nb, tile_size, 1);
    const Var scores = matmul(zeros(nb, tile_size, d), transpose(K)) / root_dk(K);
    const Var new_maximum = amax(cat({maximum, scores}, -1), -1, true);
    const Var weights = exp(scores - new_maximum);
    const Var correction = exp(maximum - new_maximum);
    zeros(nb, tile_size, 1) * correction + sum(weights, -1, true);
    zeros(nb, tile_size, d) * correction + matmul(weights, zeros(nb, tile_size, d));
    return cost_of(nb);
}

// What each tile of queries needs once: the mask on the diagonal, and the division by the sums.
Cost tile_once(std::size_t d) {
    Notebook nb;
    masked_fill(zeros(nb, tile_size, tile_size), zeros(nb, tile_size, tile_size), minus_infinity());
    zeros(nb, tile_size, d) / zeros(nb, tile_size, 1);
    return cost_of(nb);
}

Cost mask_of(std::size_t n) {
    Notebook nb;
    tril(ones(nb, {literal(n), literal(n)}));
    return cost_of(nb);
}

// Costs are of the form slope·d + rest: two values of d tell both.
struct Line {
    Number slope, rest;
};

Line through(std::size_t at_1, std::size_t at_2) {
    return {literal(at_2 - at_1), literal(2 * at_1 - at_2)};
}

Line operations_of(Cost (*cost)(std::size_t d)) {
    return through(cost(1).operations, cost(2).operations);
}

Var given(Notebook& nb, std::span<const std::size_t> numbers) {
    std::vector<float> values;
    for (const std::size_t number : numbers) {
        values.push_back(static_cast<float>(number));
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
Var table(Var left, Var right) {
    return transpose(stack({left, right}));
}

void walk_complexity(Notebook& nb, const Run& run) {
    const std::span<const std::size_t> lengths = run.parameters.sequence_lengths.all();
    const Number d = nb.line("d", literal(run.parameters.d_out));
    const Var tokens = nb.step({"tokens", "n", {"length"}}, given(nb, lengths));
    const Var pairs = nb.step({"pairs", "n²", {"length"}}, tokens * tokens);
    const Var n2d = nb.step({"n2d", "n²d", {"length"}}, pairs * d / million());
    const auto linear_in_d = [&](Var count, const Line& line) {
        return count * d * line.slope + count * line.rest;
    };

    const Line per_pair = operations_of([](std::size_t width) {
        return Cost{materialised(1, width).operations, 0};
    });
    const Var materialised_operations =
        nb.line({"materialised_operations", "N_m", {"length"}}, linear_in_d(pairs, per_pair) / million());
    const Number tile = nb.line({"tile", "b"}, literal(tile_size));
    const Var tiles = nb.line({"tiles", "t", {"length"}}, given(nb, tiles_of(lengths)));
    const Var tile_pairs = nb.line({"tile_pairs", "t₂", {"length"}}, (tiles * tiles + tiles) / literal(2));
    const Var streaming_operations = nb.line(
        {"streaming_operations", "N_s", {"length"}},
        (linear_in_d(tile_pairs, operations_of(tile_pair)) + linear_in_d(tiles, operations_of(tile_once))) /
            million());
    nb.step({"operations", "N", {"length", "way"}}, table(materialised_operations, streaming_operations));
    nb.step({"operations_per_n2d", "N′", {"length", "way"}},
            table(materialised_operations / n2d, streaming_operations / n2d));

    // Bytes are per_cell·n² + per_number·n·d: n = 1 and n = 2, of which d = 1 tells both.
    const std::size_t bytes_1 = materialised(1, 1).bytes;
    const std::size_t per_cell = (materialised(2, 1).bytes - 2 * bytes_1) / 2;
    const Var materialised_bytes =
        nb.line({"materialised_bytes", "B_m", {"length"}},
                (pairs * literal(per_cell) + tokens * d * literal(bytes_1 - per_cell)) / mebi());
    // Keys and values for each pair of tiles; queries and results once.
    const Var streaming_bytes =
        nb.line({"streaming_bytes", "B_s", {"length"}},
                (tile_pairs + tiles) * tile * d * literal(2 * sizeof(float)) / mebi());
    nb.step({"bytes_moved", "B", {"length", "way"}}, table(materialised_bytes, streaming_bytes));

    // One tile's scores, sums of values, maxima and sums.
    const Var tile_rows = nb.line({"tile_rows", "r", {"length"}}, ones(nb, {literal(lengths.size())}) * tile);
    const Var in_tile = tile_rows * tile + tile_rows * d + tile_rows * literal(2);
    const Var held_whole =
        nb.line({"materialised_held", "H_m", {"length"}}, pairs * literal(sizeof(float)) / mebi());
    const Var held_in_tile =
        nb.line({"streaming_held", "H_s", {"length"}}, in_tile * literal(sizeof(float)) / mebi());
    nb.step({"bytes_held", "H", {"length", "way"}}, table(held_whole, held_in_tile));

    const Number sequences = nb.line({"sequences", "s"}, literal(run.parameters.batch));
    const Var mask_bytes =
        nb.step({"mask_bytes", "M", {"length"}}, pairs * literal(mask_of(1).bytes) / mebi());
    nb.step({"mask_bytes_moved", "M′", {"length", "mask"}}, table(mask_bytes * sequences, mask_bytes));
}

}  // namespace

extern const Stage complexity_stage{
    .name = "complexity",
    .settings = {"sequence_lengths", "d_out", "batch"},
    .defaults = {.d_out = 64, .batch = 8, .sequence_lengths = {{256, 512, 1024, 2048}, 4}},
    .walk = walk_complexity,
    .head_layout = HeadLayout::none,
    .group = StageGroup::views,
    .no_way_back = "it only counts operations",
};

}  // namespace attn
