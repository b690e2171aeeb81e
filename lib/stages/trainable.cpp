// Attention with trainable weights: queries, keys and values are projections of the embeddings, and scores
// are scaled. One query is computed first, then all at once, as in the documents' SelfAttention_v1.
#include <string>

#include "notebook/ops.hpp"
#include "stages/attention_steps.hpp"
#include "stages/stage.hpp"
#include "stages/state_dict.hpp"

namespace attn {

namespace {

// The three (d_in, d_out) matrices: the reader's, or drawn in this order. Without a backward pass they need
// no gradient, as in the document, so results print without grad_fn.
struct Projections {
    Var query, key, value;
};

Projections projections(Notebook& nb, const Run& run, const Widths& d) {
    const auto shown = [&](const std::string& name, Var matrix) {
        return nb.step({name, name.substr(0, 3), {"in", "out"}},
                       run.parameters.backward ? parameter(matrix) : frozen_parameter(matrix));
    };
    if (run.weights != nullptr) {
        const auto own = [&](const std::string& name) {
            Tensor matrix =
                take_weight(*run.weights, name, Shape{run.parameters.d_in, run.parameters.d_out}, name);
            return shown(name, nb.given(std::move(matrix)));
        };
        const Var query = own("W_query");
        const Var key = own("W_key");
        return {query, key, own("W_value")};
    }
    const Var generator = nb.line("generator", manual_seed(nb, run.parameters.seed));
    const auto drawn = [&](const std::string& name) { return shown(name, rand(generator, {d.in, d.out})); };
    const Var query = drawn("W_query");  // statements of their own fix the order of the draws
    const Var key = drawn("W_key");
    return {query, key, drawn("W_value")};
}

void walk_trainable(Notebook& nb, const Run& run) {
    const Number focus = literal(run.focus);
    // Names of steps count tokens from 1, code from 0.
    const std::string number = std::to_string(run.focus + 1);
    const auto named = [&](const std::string& name) { return name + "_" + number; };

    const Var inputs = inputs_step(nb, run);
    const Var x_2 = nb.step({named("x"), "", {"feature"}}, select(inputs, {focus}));
    const auto [W_query, W_key, W_value] = projections(nb, run, widths(inputs, run));

    const Var query_2 = nb.step({named("query"), "q_" + number, {"feature"}}, matmul(x_2, W_query));
    nb.step({named("key"), "k_" + number, {"feature"}}, matmul(x_2, W_key));
    nb.step({named("value"), "v_" + number, {"feature"}}, matmul(x_2, W_value));
    const Var keys = nb.step({"keys", "K", token_feature}, matmul(inputs, W_key));
    const Var values = nb.step({"values", "V", token_feature}, matmul(inputs, W_value));

    const Var keys_2 = nb.line({named("keys"), "k′_" + number, {"feature"}}, select(keys, {focus}));
    nb.step({"attn_score_" + number + number, "s_" + number + number}, dot(query_2, keys_2));
    const Var attn_scores_2 =
        nb.step({named("attn_scores"), "s_" + number, {"key"}}, scores_of(query_2, keys));
    const Var attn_weights_2 =
        nb.step({named("attn_weights"), "a_" + number, {"key"}}, softmax(attn_scores_2 / root_dk(keys), -1));
    nb.step({named("context_vec"), "z_" + number, {"feature"}}, matmul(attn_weights_2, values));

    // All queries at once.
    const Var queries = nb.step({"queries", "Q", token_feature}, matmul(inputs, W_query));
    const Var attn_scores = nb.step(attn_scores_name, scores_of(queries, keys));
    const Var attn_weights = nb.step(attn_weights_name, scaled_softmax(attn_scores, keys));
    nb.step(context_vec_name, matmul(attn_weights, values));
}

}  // namespace

extern const Stage trainable_stage{
    .name = "trainable",
    .settings = {"lesson", "weights", "seed", "d_out", "focus", "backward", "loss"},
    .defaults = {.seed = 123},
    .walk = walk_trainable,
    .head_layout = HeadLayout::none,
    .trains = "context_vec",
};

}  // namespace attn
