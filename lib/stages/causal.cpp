// Causal attention: weights that are masked and renormalised, the same weights by softmax over masked scores,
// and dropout.
#include "notebook/ops.hpp"
#include "stages/attention_steps.hpp"
#include "stages/dropout_steps.hpp"
#include "stages/stage.hpp"

namespace attn {

namespace {

void walk_causal(Notebook& nb, const Run& run) {
    const Parameters& p = run.parameters;

    const Var inputs = inputs_step(nb, run);

    const auto [W_query, W_key, W_value] = query_key_value(inputs, run, Role::step);
    const Var queries = nb.step({"queries", "Q", token_feature}, project(inputs, W_query));
    const Var keys = nb.step({"keys", "K", token_feature}, project(inputs, W_key));
    const Var values = nb.step({"values", "V", token_feature}, project(inputs, W_value));

    const Var attn_scores = nb.step({"attn_scores", "S", query_key}, matmul(queries, transpose(keys)));
    const Var attn_weights =
        nb.step({"attn_weights", "A", query_key}, softmax(attn_scores / root_dk(keys), -1));

    // In two steps: mask the weights, then renormalise each row.
    const Number n = nb.line({"context_length", "n"}, extent(attn_scores, 0, "n"));
    const Var mask_simple = nb.step({"mask_simple", "M", query_key}, tril(ones(nb, {n, n})));
    const Var masked_simple = nb.step({"masked_simple", "A′", query_key}, attn_weights * mask_simple);
    const Var sums = nb.step({"row_sums", "r", {"query", "sum"}}, sum(masked_simple, -1, true));
    nb.step({"masked_simple_norm", "A″", query_key}, masked_simple / sums);

    // In one step: softmax over masked scores.
    const Var mask = nb.step({"mask", "U", query_key}, triu(ones(nb, {n, n}), 1));
    const Var masked =
        nb.step({"masked", "S′", query_key}, masked_fill(attn_scores, as_bool(mask), minus_infinity()));
    const Var attn_weights_causal =
        nb.step({"attn_weights_causal", "Â", query_key}, softmax(masked / root_dk(keys), -1));

    nb.step({"dropout_example", "E", query_key}, seeded_dropout(ones(nb, {n, n}), p));
    const Var attn_weights_dropped =
        nb.step({"attn_weights_dropped", "D", query_key}, seeded_dropout(attn_weights_causal, p));

    nb.step({"context_vec", "Z", token_feature}, matmul(attn_weights_causal, values));
    nb.step({"context_vec_dropped", "Z′", token_feature}, matmul(attn_weights_dropped, values));
}

}  // namespace

extern const Stage causal_stage{
    .name = "causal",
    .settings = {"lesson", "weights", "seed", "d_out", "qkv_bias", "dropout", "dropout_seed", "dropout_rng",
                 "backward", "loss"},
    .defaults = {.seed = 789, .dropout = 0.5},
    .walk = walk_causal,
};

}  // namespace attn
