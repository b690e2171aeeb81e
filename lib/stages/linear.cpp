// Attention with layers of torch.nn.Linear, as in the documents' SelfAttention_v2. Then version 1 computes
// with the same weights.
#include "notebook/ops.hpp"
#include "stages/attention_steps.hpp"
#include "stages/dropout_steps.hpp"
#include "stages/stage.hpp"

namespace attn {

namespace {

// Projects as version 1 does, by a (d_in, d_out) matrix: the transpose of Linear's weight. Adds Linear's bias
// if there is one.
Var project_v1(Var x, Var weight, const Layer& layer) {
    const Var product = matmul(x, weight);
    return layer.bias ? product + *layer.bias : product;
}

// The context vectors of version 1 with the weights of version 2.
Var context_vec_v1(Notebook& nb, const Parameters& p, Var inputs, const Layers::Qkv& layers) {
    const Var W_query = nb.step({"W_query_v1", "U_q", {"in", "out"}}, transpose(layers.query.weight));
    const Var W_key = nb.line({"W_key_v1", "U_k", {"in", "out"}}, transpose(layers.key.weight));
    const Var W_value = nb.line({"W_value_v1", "U_v", {"in", "out"}}, transpose(layers.value.weight));
    const Var queries =
        nb.line({"queries_v1", "Q′", token_feature}, project_v1(inputs, W_query, layers.query));
    const Var keys = nb.line({"keys_v1", "K′", token_feature}, project_v1(inputs, W_key, layers.key));
    const Var values = nb.line({"values_v1", "V′", token_feature}, project_v1(inputs, W_value, layers.value));
    Var weights =
        nb.line({"attn_weights_v1", "A′", query_key}, softmax(scores_of(queries, keys) / root_dk(keys), -1));
    if (p.dropout > 0.0) {  // the generator is seeded again, so the same weights are dropped
        weights = nb.line({"attn_weights_dropped_v1", "D′", query_key},
                          seeded_dropout(weights, p, {"keep_v1", "B", query_key}));
    }
    return nb.step({"v1_context_vec", "Z′", token_feature}, matmul(weights, values));
}

void walk_linear(Notebook& nb, const Run& run) {
    const Parameters& p = run.parameters;

    const Var inputs = inputs_step(nb, run);

    const Layers::Qkv layers = query_key_value(inputs, run, Role::step);
    const auto [queries, keys, values] = projected(inputs, layers, Role::step);

    const Var attn_scores = nb.step(attn_scores_name, scores_of(queries, keys));
    const Var attn_weights = nb.step(attn_weights_name, scaled_softmax(attn_scores, keys));
    const Var context_vec = nb.step(context_vec_name, matmul(dropped_weights(attn_weights, p), values));

    nb.step("v1_agrees", agree(context_vec_v1(nb, p, inputs, layers), context_vec));
}

}  // namespace

extern const Stage linear_stage{
    .name = "linear",
    .settings = {"lesson", "weights", "seed", "d_out", "qkv_bias", "dropout", "dropout_seed", "dropout_rng",
                 "backward", "loss"},
    .defaults = {.seed = 789},
    .walk = walk_linear,
    .trains = "context_vec",
};

}  // namespace attn
