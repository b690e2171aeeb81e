// The compact causal class on a batch: each step computes all sequences at once.
#include "notebook/ops.hpp"
#include "stages/batch_steps.hpp"

namespace attn {

namespace {

void walk_causal_batch(Notebook& nb, const Run& run) {
    const Parameters& p = run.parameters;

    const Var batch = batch_step(nb, run);

    const auto [queries, keys, values] =
        projected(batch, query_key_value(batch, run, Role::line), Role::step);

    const Var attn_scores = nb.step(attn_scores_name, scores_of(queries, keys));

    // The mask is registered once, for the context length. Each sequence uses the corner that has its own
    // length.
    const Var mask = nb.step(mask_name, context_mask(batch, run));
    const std::size_t shorter = (run.lesson.tokens.size() + 1) / 2;
    const Number half = literal(shorter);
    nb.step({"mask_shorter", "U′", query_key}, slice(mask, {half, half}));
    const Number num_tokens = nb.line("num_tokens", extent(batch, 1, "n"));
    const Var masked = nb.step(masked_name, mask_future(attn_scores, mask, num_tokens));
    const Var attn_weights = nb.step(attn_weights_name, scaled_softmax(masked, keys));

    nb.step(context_vec_name, matmul(dropped_weights(attn_weights, p), values));
}

}  // namespace

extern const Stage causal_batch_stage{
    .name = "causal-batch",
    .settings = {"lesson", "weights", "seed", "d_out", "qkv_bias", "batch", "context_length", "dropout",
                 "dropout_seed", "dropout_rng", "backward", "loss"},
    .defaults = {.seed = 123, .batch = 2},
    .walk = walk_causal_batch,
};

}  // namespace attn
