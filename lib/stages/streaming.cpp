// Causal attention that never stores all weights. It reads the keys tile by tile. Each query keeps a running
// maximum, a running sum and a partial result.
#include <algorithm>
#include <string>

#include "notebook/ops.hpp"
#include "stages/attention_steps.hpp"
#include "stages/stage.hpp"

namespace attn {

namespace {

constexpr std::size_t tile_width = 2;

// The state of all queries after some keys. The softmax and context vectors for these keys can be computed
// from it.
struct Running {
    Var maximum;  // (n, 1)
    Var sum;      // (n, 1), the sum of exp(score - maximum)
    Var out;      // (n, d_out), the sum of exp(score - maximum) times the key's value
};

// (n, d_k), (m, d_k) → (n, width): the scaled and masked scores of keys `from` to `to`.
Var masked_tile(const Projected& x, std::size_t from, std::size_t to, const Number& n,
                const std::string& number) {
    Notebook& nb = *x.queries.notebook;
    const Var keys = slice(x.keys, literal(from), literal(to));
    const Var scores = nb.line({"scores_" + number, "S_" + number, {"query", "place"}},
                               scores_of(x.queries, keys) / root_dk(x.keys));
    // Column j of the tile is key from + j of the sentence. It is in the future of all queries before it.
    const int diagonal = 1 - int(from);
    const Var mask = nb.line({"mask_" + number, "U_" + number, {"query", "place"}},
                             triu(ones(nb, {n, literal(to - from)}), diagonal));
    return nb.step({"masked_" + number, "S′_" + number, {"query", "place"}}, hidden(scores, mask));
}

// Every query sees key 0 in the first tile, so the maxima are always finite.
Running first_tile(const Projected& x, std::size_t to, const Number& n) {
    Notebook& nb = *x.queries.notebook;
    const Var masked = masked_tile(x, 0, to, n, "1");
    const Var maximum = nb.step({"running_max_1", "m_1", {"query", "max"}}, amax(masked, -1, true));
    const Var exps = nb.step({"exp_1", "E_1", {"query", "place"}}, exp(masked - maximum));
    const Var total = nb.step({"running_sum_1", "ℓ_1", {"query", "sum"}}, sum(exps, -1, true));
    return {maximum, total,
            nb.step({"running_out_1", "O_1", {"query", "feature"}},
                    matmul(exps, slice(x.values, literal(0), literal(to))))};
}

Running next_tile(const Projected& x, std::size_t from, std::size_t to, const Number& n,
                  const Running& before) {
    Notebook& nb = *x.queries.notebook;
    const std::string number = std::to_string(from / tile_width + 1);
    const Var masked = masked_tile(x, from, to, n, number);
    const Var largest = nb.step({"running_max_" + number, "m_" + number, {"query", "max"}},
                                maximum(before.maximum, amax(masked, -1, true)));
    const Var rescale =
        nb.step({"rescale_" + number, "α_" + number, {"query", "factor"}}, exp(before.maximum - largest));
    const Var exps = nb.step({"exp_" + number, "E_" + number, {"query", "place"}}, exp(masked - largest));
    const Var total = nb.step({"running_sum_" + number, "ℓ_" + number, {"query", "sum"}},
                              rescale * before.sum + sum(exps, -1, true));
    const Var values = slice(x.values, literal(from), literal(to));
    return {largest, total,
            nb.step({"running_out_" + number, "O_" + number, {"query", "feature"}},
                    rescale * before.out + matmul(exps, values))};
}

// Computed with all weights at once, as in the causal stage.
Var whole(const Projected& x, const Number& n) {
    Notebook& nb = *x.queries.notebook;
    const Var scores = nb.line(attn_scores_name, scores_of(x.queries, x.keys));
    const Var mask = nb.line(mask_name, causal_mask(nb, n));
    const Var weights = causal_head(hidden(scores, mask), x.keys, causal_weights_name);
    return nb.step({"whole_context", "Z′", token_feature}, matmul(weights, x.values));
}

void walk_streaming(Notebook& nb, const Run& run) {
    const Parameters& p = run.parameters;
    const Var inputs = inputs_step(nb, run);
    const Projected x = projected(inputs, query_key_value(inputs, run, Role::line), Role::line);
    const Number n = context_length(inputs);

    const std::size_t num_keys = inputs.value().size(0);
    Running running = first_tile(x, std::min(tile_width, num_keys), n);
    for (std::size_t from = tile_width; from < num_keys; from += tile_width) {
        running = next_tile(x, from, std::min(from + tile_width, num_keys), n, running);
    }
    const Var context_vec = nb.step(context_vec_name, running.out / running.sum);

    const Var whole_context = whole(x, n);
    nb.step({"ways_agree", "g"}, agree(context_vec, whole_context));

    nb.step({"state", "R", {"query", "kept"}}, cat({running.maximum, running.sum, running.out}, -1));
    const Var lengths = nb.line({"lengths", "N", {"length"}}, nb.given(Tensor(Shape{4}, {6, 64, 512, 4096})));
    // How many numbers each query stores: its state, and the scores of one tile.
    const Number held = nb.line({"held", "h"}, literal(p.d_out + 2 + tile_width));
    nb.step({"times_less", "t", {"length"}}, lengths / held);
}

}  // namespace

extern const Stage streaming_stage{
    .name = "streaming",
    .settings = {"lesson", "weights", "seed", "d_out", "qkv_bias"},
    .defaults = {.seed = 789},
    .walk = walk_streaming,
    .group = StageGroup::views,
    .why_no_gradients = "its gradients are those of the stage causal, because the running maxima cancel",
};

}  // namespace attn
