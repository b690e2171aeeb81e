// Tests for information leakage, the influence of later tokens on earlier rows. First the last token is
// changed, then a token is appended. Both times, each context vector is compared with the original.
#include <algorithm>

#include "notebook/ops.hpp"
#include "stages/attention_steps.hpp"
#include "stages/stage.hpp"
#include "tensor/layout.hpp"

namespace attn {

namespace {

// The limit is far above the rounding errors of numbers near 1, and far below the effect of a token.
constexpr double noise = 1e-5;

// 0.9, 0.1, 0.9, …; or 0.1, 0.9, 0.1, … if the lesson ends in that token.
Tensor different_token(const Tensor& embeddings) {
    const std::size_t d_in = embeddings.size(-1);
    Tensor token(Shape{1, d_in});
    for (std::size_t i = 0; i < d_in; ++i) {
        token.values()[i] = i % 2 == 0 ? 0.9F : 0.1F;
    }
    if (std::ranges::equal(token.values(), embeddings.values().last(d_in))) {
        std::ranges::transform(token.values(), token.values().begin(),
                               [](float value) { return value == 0.9F ? 0.1F : 0.9F; });
    }
    return token;
}

// Projections and scores of a sentence.
struct Sentence {
    Var keys, values, scores;
};

Sentence sentence(Var inputs, const Layers::Qkv& layers, const Scope& in) {
    const auto [queries, keys, values] = projected(inputs, layers, Role::line, in);
    const Name name = in({in.before.empty() ? "attn_scores" : "scores", "S", query_key});
    return {keys, values, inputs.notebook->line(name, matmul(queries, transpose(keys)))};
}

Var weights(Var scores, Var keys, int axis = -1) {
    return softmax(scores / root_dk(keys), axis);
}

Var upper_triangle(Notebook& nb, const Number& n) {
    return as_bool(causal_mask(nb, n));
}

// (n, d), (n, d) → (n,): the largest difference in each row.
Var moved(Var after, Var before) {
    return amax(abs(after - before), -1);
}

// 1 for each row that changed by at most `limit`, otherwise 0.
Var stays(Var after, Var before, Var limit) {
    return as_float(le(moved(after, before), limit));
}

void walk_leakage(Notebook& nb, const Run& run) {
    const Parameters& p = run.parameters;
    const Var inputs = inputs_step(nb, run);
    const Var token = nb.line("token", nb.given(different_token(run.lesson.embeddings)));
    const Var changed = nb.step({"changed", "X*", token_feature}, with_last_row(inputs, token));

    const Number d_in = nb.line("d_in", extent(inputs, 1, "d_in"));
    const Number d_out = nb.line("d_out", literal(p.d_out));
    const auto layers = Layers(nb, run).query_key_value(d_in, d_out, Role::line);
    const Sentence before = sentence(inputs, layers, {});
    const Sentence after = sentence(changed, layers, {"changed_", "", "*"});
    nb.step({"scores_moved", "ΔS", query_key}, abs(after.scores - before.scores));

    const Var attn_weights = nb.line({"attn_weights", "A", query_key}, weights(before.scores, before.keys));
    const Var changed_weights =
        nb.line({"changed_weights", "A*", query_key}, weights(after.scores, after.keys));
    const Var unmasked =
        nb.line({"unmasked_context", "C", token_feature}, matmul(attn_weights, before.values));
    const Var changed_unmasked =
        nb.line({"changed_unmasked_context", "C*", token_feature}, matmul(changed_weights, after.values));
    nb.step({"unmasked_moved", "u", {"token"}}, moved(changed_unmasked, unmasked));

    const Number n = nb.line({"context_length", "n"}, extent(inputs, 0, "n"));
    const Var mask = nb.line({"mask", "U", query_key}, upper_triangle(nb, n));
    const Var masked =
        nb.line({"masked", "S′", query_key}, masked_fill(before.scores, mask, minus_infinity()));
    const Var changed_masked =
        nb.line({"changed_masked", "S′*", query_key}, masked_fill(after.scores, mask, minus_infinity()));
    const Var attn_weights_causal =
        nb.line({"attn_weights_causal", "Â", query_key}, weights(masked, before.keys));
    const Var context_vec =
        nb.step({"context_vec", "Z", token_feature}, matmul(attn_weights_causal, before.values));
    const Var changed_causal =
        nb.line({"changed_weights_causal", "Â*", query_key}, weights(changed_masked, after.keys));
    const Var changed_context =
        nb.line({"changed_context_vec", "Z*", token_feature}, matmul(changed_causal, after.values));
    nb.step({"causal_moved", "c", {"token"}}, moved(changed_context, context_vec));

    // A mistake: softmax over the queries instead of the keys.
    const Var wrong_weights = nb.line({"wrong_weights", "B", query_key}, weights(masked, before.keys, 0));
    const Var changed_wrong_weights =
        nb.line({"changed_wrong_weights", "B*", query_key}, weights(changed_masked, after.keys, 0));
    constexpr std::string_view mistake = "softmax-wrong-axis";
    const Var wrong = nb.shows(
        mistake, nb.step({"wrong_axis_context", "Y", token_feature}, matmul(wrong_weights, before.values)));
    const Var changed_wrong = nb.shows(mistake, nb.step({"changed_wrong_axis_context", "Y*", token_feature},
                                                        matmul(changed_wrong_weights, after.values)));
    nb.shows(mistake, nb.step({"wrong_axis_moved", "w", {"token"}}, moved(changed_wrong, wrong)));

    // Masks after softmax, whose denominator contains the future.
    const Var mask_simple = nb.line({"mask_simple", "M", query_key}, tril(ones(nb, {n, n})));
    const Var sums = nb.line({"row_sums", "r", {"query", "sum"}}, sum(attn_weights * mask_simple, -1, true));
    const Var changed_sums =
        nb.line({"changed_row_sums", "r*", {"query", "sum"}}, sum(changed_weights * mask_simple, -1, true));
    nb.step({"visible_shares", "R", {"query", "sentence"}}, cat({sums, changed_sums}, -1));
    const Var renormalised = nb.line({"renormalised", "A″", query_key}, attn_weights * mask_simple / sums);
    const Var changed_renormalised =
        nb.line({"changed_renormalised", "A″*", query_key}, changed_weights * mask_simple / changed_sums);
    const Var limit = nb.line({"limit", "ε"}, nb.given(full(Shape{}, static_cast<float>(noise))));
    nb.step({"renormalised_stays", "f", {"token"}}, stays(changed_renormalised, renormalised, limit));
    nb.step({"two_ways_agree", "g", {"token"}}, stays(renormalised, attn_weights_causal, limit));

    const Var longer = nb.line({"longer", "X⁺", token_feature}, cat({inputs, token}, 0));
    const Sentence appended = sentence(longer, layers, {"longer_", "", "⁺"});
    const Number longer_length = nb.line("longer_length", extent(longer, 0, "n"));
    const Var longer_mask = nb.line("longer_mask", upper_triangle(nb, longer_length));
    const Var longer_masked = nb.line({"longer_masked", "S′⁺", query_key},
                                      masked_fill(appended.scores, longer_mask, minus_infinity()));
    const Var longer_weights =
        nb.line({"longer_weights", "Â⁺", query_key}, weights(longer_masked, appended.keys));
    const Var longer_context =
        nb.step({"longer_context", "Z⁺", token_feature}, matmul(longer_weights, appended.values));
    const Var earlier = nb.line({"earlier_rows", "Z_e", token_feature}, slice(longer_context, {n, d_out}));
    const Var scaled_limit = nb.line({"scaled_limit", "ε_s"}, amax(abs(context_vec)) * literal(noise));
    nb.step({"earlier_rows_stay", "t", {"token"}}, stays(earlier, context_vec, scaled_limit));
}

}  // namespace

extern const Stage leakage_stage{
    .name = "leakage",
    .settings = {"lesson", "weights", "seed", "d_out", "qkv_bias"},
    .defaults = {.seed = 789},
    .walk = walk_leakage,
    .group = StageGroup::views,
    .why_no_gradients = "it compares runs with different sentences",
};

}  // namespace attn
