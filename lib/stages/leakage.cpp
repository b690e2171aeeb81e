// Tests for information leakage, the influence of later tokens on earlier rows. First the last token is
// changed, then a token is appended. Both times, each context vector is compared with the original.
#include <algorithm>
#include <array>

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

// The keys, values and scores of a sentence, and the names of what is computed from them.
struct Sentence {
    Scope in;
    Var keys, values, scores;

    Var weights(Var of, int axis = -1) const { return softmax(of / root_dk(keys), axis); }
    Var line(const Name& name, Var node) const { return node.notebook->line(in(name), node); }
};

Sentence sentence(Var inputs, const Layers::Qkv& layers, const Scope& in) {
    const auto [queries, keys, values] = projected(inputs, layers, Role::line, in);
    return {in, keys, values, inputs.notebook->line(in(attn_scores_name), scores_of(queries, keys))};
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
    const Var inputs = inputs_step(nb, run);
    const Var token = nb.line("token", nb.given(different_token(run.lesson.embeddings)));
    const Var changed = nb.step({"changed", "X*", token_feature}, with_last_row(inputs, token));

    const Widths d = widths(inputs, run);
    const auto layers = Layers(nb, run).query_key_value(d, Role::line);
    const std::array both{sentence(inputs, layers, {}),
                          sentence(changed, layers, {"changed_", "", "*", true})};
    const auto& before = both[0];
    const auto& after = both[1];
    nb.step({"scores_moved", "ΔS", query_key}, abs(after.scores - before.scores));

    // Computes a line for both sentences from their results before it.
    using Pair = std::array<Var, 2>;
    const auto lines = [&](const Name& name, const auto& compute) {
        const Var original = before.line(name, compute(0));
        return Pair{original, after.line(name, compute(1))};
    };
    const Pair weights =
        lines(attn_weights_name, [&](std::size_t i) { return both[i].weights(both[i].scores); });
    const Pair unmasked = lines({"unmasked_context", "C", token_feature},
                                [&](std::size_t i) { return matmul(weights[i], both[i].values); });
    nb.step({"unmasked_moved", "u", {"token"}}, moved(unmasked[1], unmasked[0]));

    const Number n = context_length(inputs);
    const Var mask = nb.line(mask_name, upper_triangle(nb, n));
    const Pair masked = lines(
        masked_name, [&](std::size_t i) { return masked_fill(both[i].scores, mask, minus_infinity()); });
    const Var attn_weights_causal = before.line(causal_weights_name, before.weights(masked[0]));
    const Var context_vec = nb.step(context_vec_name, matmul(attn_weights_causal, before.values));
    const Var changed_causal = after.line(causal_weights_name, after.weights(masked[1]));
    const Var changed_context = after.line(context_vec_name, matmul(changed_causal, after.values));
    nb.step({"causal_moved", "c", {"token"}}, moved(changed_context, context_vec));

    // A mistake: softmax over the queries instead of the keys.
    const Pair wrong_weights = lines({"wrong_weights", "B", query_key},
                                     [&](std::size_t i) { return both[i].weights(masked[i], 0); });
    constexpr std::string_view mistake = "softmax-wrong-axis";
    const auto wrong_context = [&](std::size_t i) {
        const Name name = both[i].in({"wrong_axis_context", "Y", token_feature});
        return nb.shows(mistake, nb.step(name, matmul(wrong_weights[i], both[i].values)));
    };
    const Var wrong = wrong_context(0);
    nb.shows(mistake, nb.step({"wrong_axis_moved", "w", {"token"}}, moved(wrong_context(1), wrong)));

    // Masks after softmax, whose denominator contains the future.
    const Var mask_simple = nb.line({"mask_simple", "M", query_key}, tril(ones(nb, {n, n})));
    const Pair sums = lines({"row_sums", "r", {"query", "sum"}},
                            [&](std::size_t i) { return sum(weights[i] * mask_simple, -1, true); });
    nb.step({"visible_shares", "R", {"query", "sentence"}}, cat({sums[0], sums[1]}, -1));
    const Pair renormalised = lines({"renormalised", "A″", query_key},
                                    [&](std::size_t i) { return weights[i] * mask_simple / sums[i]; });
    const Var limit = nb.line({"limit", "ε"}, nb.given(full(Shape{}, float(noise))));
    nb.step({"renormalised_stays", "f", {"token"}}, stays(renormalised[1], renormalised[0], limit));
    nb.step({"two_ways_agree", "g", {"token"}}, stays(renormalised[0], attn_weights_causal, limit));

    const Var longer = nb.line({"longer", "X⁺", token_feature}, cat({inputs, token}, 0));
    const Sentence appended = sentence(longer, layers, {"longer_", "", "⁺", true});
    const Number longer_length = nb.line("longer_length", extent(longer, 0, "n"));
    const Var longer_mask = nb.line("longer_mask", upper_triangle(nb, longer_length));
    const Var longer_weights =
        causal_head(masked_fill(appended.scores, longer_mask, minus_infinity()), appended.keys,
                    {"weights", "Â", query_key}, Role::line, appended.in);
    const Var longer_context =
        nb.step({"longer_context", "Z⁺", token_feature}, matmul(longer_weights, appended.values));
    const Var earlier = nb.line({"earlier_rows", "Z_e", token_feature}, slice(longer_context, {n, d.out}));
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
