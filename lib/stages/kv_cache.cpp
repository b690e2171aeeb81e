// Attention token by token: keys and values are cached, and each new token computes one row of queries. Shows
// that the context vectors are the same as for all tokens at once, and counts the operations saved.

#include "notebook/ops.hpp"
#include "stages/attention_steps.hpp"
#include "stages/stage.hpp"
#include "tensor/layout.hpp"

namespace attn {

namespace {

// The keys and values of earlier tokens.
struct Cache {
    Var keys, values;  // (tokens, d_out)
};

// Projects only the new token, and appends a row to the cache.
Cache with_token(const std::optional<Cache>& before, Var token, const Layers::Qkv& layers,
                 const std::string& number) {
    Notebook& nb = *token.notebook;
    if (!before) {
        return {
            nb.step({"cache_keys_" + number, "K_" + number, token_feature}, project(token, layers.key)),
            nb.line({"cache_values_" + number, "V_" + number, token_feature}, project(token, layers.value))};
    }
    const Var key = nb.line({"key_" + number, "k_" + number, token_feature}, project(token, layers.key));
    const Var value =
        nb.line({"value_" + number, "v_" + number, token_feature}, project(token, layers.value));
    return {
        nb.step({"cache_keys_" + number, "K_" + number, token_feature}, cat({before->keys, key}, 0)),
        nb.line({"cache_values_" + number, "V_" + number, token_feature}, cat({before->values, value}, 0))};
}

// Computes all tokens at once, as in the causal stage.
struct AtOnce {
    Var mask, context;
};

AtOnce all_at_once(Var inputs, const Layers::Qkv& layers) {
    Notebook& nb = *inputs.notebook;
    const auto [queries, keys, values] = projected(inputs, layers, Role::line);
    const Number n = context_length(inputs);
    const Var mask = nb.step(mask_name, causal_mask(nb, n));
    const Var scores = nb.line(attn_scores_name, scores_of(queries, keys));
    const Var weights = causal_head(hidden(scores, mask), keys, causal_weights_name, Role::step);
    return {mask, nb.step({"whole_context", "Z′", token_feature}, matmul(weights, values))};
}

// Operations for one more token, and bytes in the cache, for several numbers of tokens. A product of (n, k)
// and (k, m) takes 2nkm operations.
void count_costs(Notebook& nb, const Parameters& p) {
    const Number d_out = literal(p.d_out);
    const auto size = [](std::size_t number) { return float(number); };
    const Var lengths = nb.step({"lengths", "ℓ", {"length"}}, nb.given(Tensor(Shape{4}, {6, 64, 512, 4096})));
    const Var projections = nb.line({"projections", "P"},  // q, k and v of a token
                                    nb.given(full(Shape{}, size(6 * p.d_in * p.d_out))));
    const Number pair = nb.line({"pair", "p"}, literal(4) * d_out);  // a score, and a value times its weight
    const Var kept = nb.step({"operations_kept", "N_k", {"length"}}, lengths * pair + projections);
    const Var anew =
        nb.step({"operations_anew", "N_a", {"length"}}, lengths * (lengths * pair + projections));
    nb.step({"times_less", "t", {"length"}}, anew / kept);
    nb.step({"cache_bytes", "B", {"length"}},
            lengths * nb.line({"token_bytes", "b"}, literal(2 * sizeof(float)) * d_out));
}

void walk_kv_cache(Notebook& nb, const Run& run) {
    const Var inputs = inputs_step(nb, run);
    const Layers::Qkv layers = query_key_value(inputs, run, Role::line);

    std::optional<Cache> cache;
    std::vector<Var> contexts;
    for (std::size_t i = 0; i < inputs.value().size(0); ++i) {
        const std::string number = std::to_string(i + 1);
        const Var token = nb.line({"token_" + number, "x_" + number, token_feature},
                                  slice(inputs, literal(i), literal(i + 1)));
        cache = with_token(cache, token, layers, number);
        const Var query =
            nb.line({"query_" + number, "q_" + number, token_feature}, project(token, layers.query));
        const Var scores =
            nb.line({"scores_" + number, "S_" + number, query_key}, scores_of(query, cache->keys));
        const Var weights = nb.step({"token_weights_" + number, "a_" + number, query_key},
                                    scaled_softmax(scores, cache->keys));
        contexts.push_back(nb.line({"token_context_" + number, "z_" + number, token_feature},
                                   matmul(weights, cache->values)));
    }
    const Var context_vec = nb.step(context_vec_name, cat(contexts, 0));

    const AtOnce at_once = all_at_once(inputs, layers);
    nb.step({"last_mask", "u", query_key}, slice(at_once.mask, -literal(1)));
    nb.step({"last_row", "z", token_feature}, slice(at_once.context, -literal(1)));
    nb.step({"rows_agree", "g"}, agree(context_vec, at_once.context));

    count_costs(nb, run.parameters);
}

}  // namespace

extern const Stage kv_cache_stage{
    .name = "kv-cache",
    .settings = {"lesson", "weights", "seed", "d_out", "qkv_bias", "backward", "loss"},
    .defaults = {.seed = 789},
    .walk = walk_kv_cache,
    .group = StageGroup::onward,
    .trains = "context_vec",
};

}  // namespace attn
