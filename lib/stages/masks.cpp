// Shows four ways to write the causal mask, the result of mixing up two of them, padding, and rows without
// any visible key. If there are fewer queries than keys, the mask can start in two corners; both are shown.

#include <algorithm>

#include "notebook/ops.hpp"
#include "stages/attention_steps.hpp"
#include "stages/stage.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"

namespace attn {

namespace {

// Scores (…, n, m) of queries and keys, and their softmax with a mask that is 1 for hidden keys.
struct MaskedScores {
    Var queries, keys, scores;

    Var weights(Var mask) const { return scaled_softmax(hidden(scores, mask), keys); }
};

struct SentenceLayers {
    Layers::Qkv layers;

    MaskedScores scores(Var inputs, Role role, const Scope& in = {}) const {
        Notebook& nb = *inputs.notebook;
        const Var queries = nb.as(role, in({"queries", "Q", token_feature}), project(inputs, layers.query));
        const Var keys = nb.as(role, in({"keys", "K", token_feature}), project(inputs, layers.key));
        return {queries, keys, nb.as(role, in(attn_scores_name), scores_of(queries, keys))};
    }

    Var context(Var weights, Var inputs, const Scope& in) const {
        Notebook& nb = *inputs.notebook;
        const Var values = nb.line(in({"values", "V", token_feature}), project(inputs, layers.value));
        return nb.step(in({"context", "Z", token_feature}), matmul(weights, values));
    }
};

// (n, 1): 1 for real tokens, 0 for the padding after them.
Tensor presence(std::size_t tokens, std::size_t short_length) {
    Tensor present(Shape{tokens, 1});
    std::fill_n(present.values().begin(), short_length, 1.0F);
    return present;
}

// (2, 1, n): 1 where a sentence of the batch has padding.
Tensor padding(std::size_t tokens, std::size_t short_length) {
    Tensor padded(Shape{2, 1, tokens});
    std::fill(padded.values().begin() + std::ptrdiff_t(tokens + short_length), padded.values().end(), 1.0F);
    return padded;
}

// A mask that is 1 for hidden keys, and the attention weights with it.
struct CausalPattern {
    Var hide, attn_weights;
};

CausalPattern four_ways(Notebook& nb, const MaskedScores& of, const Number& n) {
    const Var keep = nb.step({"keep_mask", "M", query_key}, tril(ones(nb, {n, n})));
    const Var hide = nb.step({"hide_mask", "U", query_key}, causal_mask(nb, n));
    const Var added = nb.step({"additive_mask", "B", query_key}, hidden(hide, hide));
    const Var lengths = nb.step({"visible_lengths", "ℓ", {"query", "length"}}, sum(keep, -1, true));
    const Var by_length =
        nb.line({"length_mask", "M_ℓ", query_key}, as_float(le(transpose(lengths), lengths)));

    const Var by_hide = nb.step(attn_weights_name, of.weights(hide));
    const Var by_keep = nb.line({"attn_weights_keep", "A_M", query_key}, of.weights(literal(1) - keep));
    const Var by_sum = nb.line({"attn_weights_additive", "A_B", query_key},
                               softmax(of.scores / root_dk(of.keys) + added, -1));
    const Var by_lengths =
        nb.line({"attn_weights_lengths", "A_ℓ", query_key}, of.weights(literal(1) - by_length));
    const Var keep_equal = nb.line({"keep_equal", "g_M"}, identical(by_keep, by_hide));
    const Var additive_equal = nb.line({"additive_equal", "g_B"}, identical(by_sum, by_hide));
    const Var lengths_equal = nb.line({"lengths_equal", "g_ℓ"}, identical(by_lengths, by_hide));
    nb.step({"ways_equal", "g_w", {"way"}}, stack({keep_equal, additive_equal, lengths_equal}));
    nb.shows("mask-convention-inverted",
             nb.step({"attn_weights_mixed_up", "A′", query_key}, of.weights(keep)));
    return {hide, by_hide};
}

// Two sentences in one batch, the second one shorter.
void padded(Notebook& nb, const Run& run, const SentenceLayers& projections, Var inputs, Var hide) {
    const std::size_t tokens = run.lesson.embeddings.size(0);
    const Var present = nb.line({"present", "p", {"token", "column"}},
                                nb.given(presence(tokens, *run.parameters.short_length)));
    const Var batch = nb.step({"batch", "X_b", token_feature}, stack({inputs, inputs * present}));
    const Var padding_mask = nb.step({"padding_mask", "P", {"batch", "", "key"}},
                                     nb.given(padding(tokens, *run.parameters.short_length)));
    const Scope in_batch{"batch_", "", "_b", true};
    const MaskedScores of = projections.scores(batch, Role::line, in_batch);
    const Var weights = nb.step(in_batch(attn_weights_name), of.weights(hide + padding_mask));
    const Var context = projections.context(weights, batch, in_batch);

    // The shorter sentence without padding.
    const Number m = nb.line({"short_length", "m"}, literal(*run.parameters.short_length));
    const Var alone = nb.line({"shorter", "X_s", token_feature}, slice(inputs, literal(0), m));
    const Scope in_short{"short_", "", "_s", true};
    const MaskedScores short_of = projections.scores(alone, Role::line, in_short);
    const Var short_hide = nb.line({"short_hide_mask", "U_s", query_key}, causal_mask(nb, m));
    const Var short_weights = nb.line(in_short(attn_weights_name), short_of.weights(short_hide));
    const Var short_context = projections.context(short_weights, alone, in_short);
    const Var second = nb.line({"second_context", "Z_2", token_feature}, select(context, {literal(1)}));
    nb.step({"padding_agrees", "g_p"}, agree(slice(second, literal(0), m), short_context));
}

// If padding comes before a sentence, its first rows have no visible key.
void nothing_to_see(Notebook& nb, const MaskedScores& of, Var hide, const Number& n) {
    const Var diagonal = nb.line({"diagonal", "I", query_key}, triu(tril(ones(nb, {n, n})), 0));
    const Var mask =
        nb.step({"front_mask", "U_f", query_key}, maximum(hide, slice(diagonal, literal(0), literal(1))));
    nb.step({"attn_weights_nan", "A_f", query_key}, of.weights(mask));
    nb.step({"attn_weights_itself", "A_1", query_key}, of.weights(mask * (literal(1) - diagonal)));
    const Var finite =
        nb.line({"finite", "S_f", query_key}, masked_fill(of.scores, as_bool(mask), literal(-1e9)));
    nb.shows("finite-mask-leak",
             nb.step({"attn_weights_finite", "A_2", query_key}, scaled_softmax(finite, of.keys)));
    const Var unseen = nb.line({"unseen", "e", {"query", "column"}},
                               as_float(eq(sum(literal(1) - mask, -1, true), literal(0))));
    nb.step({"attn_weights_zeroed", "A_3", query_key},
            masked_fill(of.weights(mask), as_bool(unseen), literal(0)));
}

// Queries of the last tokens with all keys, as with a KV cache.
void two_corners(Notebook& nb, const MaskedScores& of, Var attn_weights, const Number& n) {
    const Number rows =
        nb.line({"new_tokens", "t"}, literal(std::min<std::size_t>(of.queries.value().size(0), 2)));
    const Var queries = slice(of.queries, -rows);
    const MaskedScores last{queries, of.keys,
                            nb.line({"last_scores", "s", query_key}, scores_of(queries, of.keys))};
    const Var top_left =
        nb.shows("mask-top-left", nb.step({"top_left_mask", "U_l", query_key}, triu(ones(nb, {rows, n}), 1)));
    nb.shows("mask-top-left", nb.step({"top_left_weights", "A_l", query_key}, last.weights(top_left)));
    const Var bottom_right =
        nb.step({"bottom_right_mask", "U_r", query_key}, slice(causal_mask(nb, n), -rows));
    const Var weights = nb.step({"bottom_right_weights", "A_r", query_key}, last.weights(bottom_right));
    nb.step({"corner_is_right", "g_c"}, agree(weights, slice(attn_weights, -rows)));
}

void walk_masks(Notebook& nb, const Run& run) {
    const Parameters& p = run.parameters;
    const std::size_t tokens = run.lesson.embeddings.size(0);
    if (*p.short_length > tokens) {
        throw Error(
            "`short_length`: the shorter sentence has {} tokens and the longer one {}; expected 1 to {}.",
            *p.short_length, tokens, tokens);
    }
    const Var inputs = inputs_step(nb, run);
    const SentenceLayers projections{query_key_value(inputs, run, Role::line)};
    const Number n = context_length(inputs);
    const MaskedScores of = projections.scores(inputs, Role::step);

    const auto [hide, attn_weights] = four_ways(nb, of, n);
    padded(nb, run, projections, inputs, hide);
    nothing_to_see(nb, of, hide, n);
    two_corners(nb, of, attn_weights, n);
}

}  // namespace

extern const Stage masks_stage{
    .name = "masks",
    .settings = {"lesson", "weights", "seed", "d_out", "qkv_bias", "short_length"},
    .defaults = {.seed = 789},
    .walk = walk_masks,
    .group = StageGroup::onward,
    .why_no_gradients = "it compares masks; the stage causal shows the gradients through a mask",
};

}  // namespace attn
