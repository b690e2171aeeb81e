// Rotary positions: queries and keys are rotated by angles that grow with the position, so that a score
// depends on the distance of two tokens. Shows both pairings that models use, a rotation as a matrix, and the
// result of mixing the pairings.
#include "notebook/ops.hpp"
#include "stages/attention_steps.hpp"
#include "stages/rotary_steps.hpp"

namespace attn {

namespace {

// The sentence is moved by this many positions.
constexpr std::size_t moved_by = 10;
// The tolerance per radian and number: a few roundings of float32 angles and products.
constexpr double rounding = 1e-6;

// 1 if all numbers of `a` and `b` differ by at most `limit`, otherwise 0.
Var within(Var a, Var b, Var limit) {
    return as_float(le(amax(abs(a - b)), limit));
}

// The features with even index, then the features with odd index.
Var evens_first(Var x, const Number& n, const Number& width, const Number& pairs) {
    return view(contiguous(transpose(view(x, {n, pairs, literal(2)}), 1, 2)), {n, width});
}

void walk_rotary(Notebook& nb, const Run& run) {
    const Parameters& p = run.parameters;
    require_pairs(p.d_out, 1);
    const Var inputs = inputs_step(nb, run);
    const Widths d = widths(inputs, run);
    const Layers::Qkv W = Layers(nb, run).query_key_value(d, Role::line);
    const auto [queries, keys, values] = projected(inputs, W, Role::step);

    // The angle of each pair of numbers at each position.
    const Number n = context_length(inputs);
    const Var positions = nb.step({"positions", "p", {"token"}}, arange(nb, literal(0), n, literal(1)));
    const Var theta = nb.step({"theta", "θ", {"pair"}}, rotary_theta(nb, p, d.out));
    const Turns turns = turns_of(positions, theta, Role::step);

    const Var queries_halves =
        nb.step({"queries_halves", "Q_h", token_feature}, turned(queries, turns, Pairing::halves));
    const Var keys_halves =
        nb.step({"keys_halves", "K_h", token_feature}, turned(keys, turns, Pairing::halves));
    const Var scores_halves =
        nb.step({"scores_halves", "S_h", query_key}, scores_of(queries_halves, keys_halves));

    // The rotation as a matrix: its rows are the rotated unit vectors.
    const Number last = -literal(1);
    const Var units =
        nb.line({"units", "I", {"feature", "feature"}}, triu(tril(ones(nb, {d.out, d.out})), 0));
    const Turns last_turns{nb.line({"last_cos", "c", {"token", "pair"}}, slice(turns.cos, last)),
                           nb.line({"last_sin", "d", {"token", "pair"}}, slice(turns.sin, last))};
    const Var rotation =
        nb.step({"rotation", "R", {"feature", "turned"}}, turned(units, last_turns, Pairing::halves));
    nb.step({"rotation_agrees", "g_R"},
            agree(matmul(slice(queries, last), rotation), slice(queries_halves, last)));
    nb.step({"lengths_agree", "g_l"},
            agree(sum(queries_halves * queries_halves, -1, false), sum(queries * queries, -1, false)));

    // A score depends only on the distance.
    const auto everywhere = [&](const Name& name, Var x) {
        const Var copies = repeat(slice(x, last), {n, literal(1)});
        return nb.line(name, turned(copies, turns, Pairing::halves));
    };
    const Var query_everywhere = everywhere({"query_everywhere", "Q_1", token_feature}, queries);
    const Var key_everywhere = everywhere({"key_everywhere", "K_1", token_feature}, keys);
    nb.step({"scores_everywhere", "S_1", query_key}, scores_of(query_everywhere, key_everywhere));
    const Number further = literal(moved_by);
    const Var later =
        nb.line({"later_positions", "p′", {"token"}}, arange(nb, further, further + n, literal(1)));
    const Turns later_turns = turns_of(later, theta, Role::line, {"later_", "", "′"});
    const Var keys_later =
        nb.line({"keys_later", "K′", token_feature}, turned(keys, later_turns, Pairing::halves));
    const Var queries_later =
        nb.line({"queries_later", "Q′", token_feature}, turned(queries, later_turns, Pairing::halves));
    const Var scores_later =
        nb.step({"scores_later", "S′_h", query_key}, scores_of(queries_later, keys_later));
    const auto angles_passed = double((inputs.value().size(0) + moved_by) * p.d_out);
    const Var limit =
        nb.line({"limit", "ε"}, amax(abs(queries)) * amax(abs(keys)) * literal(angles_passed * rounding));
    nb.step({"distance_agrees", "g_d"}, within(scores_later, scores_halves, limit));

    // With a KV cache: cached keys are already rotated, and a new query is rotated by its own position.
    const Var last_query = nb.step({"last_query", "q", token_feature},
                                   turned(slice(queries, last), last_turns, Pairing::halves));
    const Var last_scores = nb.step({"last_scores", "s", query_key}, scores_of(last_query, keys_halves));
    nb.step({"last_row_agrees", "g_q"}, within(last_scores, slice(scores_halves, last), limit));

    // The other pairing, then a product that mixes both.
    const Var queries_neighbours =
        nb.step({"queries_neighbours", "Q_n", token_feature}, turned(queries, turns, Pairing::neighbours));
    const Var keys_neighbours =
        nb.step({"keys_neighbours", "K_n", token_feature}, turned(keys, turns, Pairing::neighbours));
    const Var scores_neighbours =
        nb.step({"scores_neighbours", "S_n", query_key}, scores_of(queries_neighbours, keys_neighbours));
    const Var scores_mixed =
        nb.shows("rotary-other-pairing",
                 nb.step({"scores_mixed", "S_m", query_key}, scores_of(queries_neighbours, keys_halves)));
    const Var neighbours_later = nb.line({"neighbours_later", "Q′_n", token_feature},
                                         turned(queries, later_turns, Pairing::neighbours));
    nb.step({"mixed_agrees", "g_m"}, within(scores_of(neighbours_later, keys_later), scores_mixed, limit));

    // Reordering the features turns one pairing into the other.
    const Number pairs = nb.line({"pairs", "m"}, floor_quotient(d.out, literal(2)));
    const auto reordered = [&](Var x) {
        return turned(evens_first(x, n, d.out, pairs), turns, Pairing::halves);
    };
    const Var queries_reordered = nb.step({"queries_reordered", "Q_r", token_feature}, reordered(queries));
    const Var keys_reordered = nb.line({"keys_reordered", "K_r", token_feature}, reordered(keys));
    nb.step({"reordered_agrees", "g_o"},
            within(scores_of(queries_reordered, keys_reordered), scores_neighbours, limit));

    // The remaining steps do not depend on positions.
    const Var mask = nb.line(mask_name, causal_mask(nb, n));
    const Var masked = nb.step(masked_name, hidden(scores_halves, mask));
    const Var attn_weights = nb.step(attn_weights_name, scaled_softmax(masked, keys_halves));
    nb.step(context_vec_name, matmul(attn_weights, values));
}

}  // namespace

extern const Stage rotary_stage{
    .name = "rotary",
    .settings = {"lesson", "weights", "seed", "d_out", "qkv_bias", "rotary_base", "backward", "loss"},
    .defaults = {.seed = 123, .d_out = 4, .rotary_base = usual_rotary_base},
    .walk = walk_rotary,
    .group = StageGroup::onward,
    .trains = "context_vec",
};

}  // namespace attn
