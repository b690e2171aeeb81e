// Attention without trainable weights: each token's embedding is its query, key and value. One query is
// computed number by number, then all queries at once.
#include <algorithm>
#include <string>

#include "notebook/ops.hpp"
#include "stages/layers.hpp"
#include "stages/stage.hpp"

namespace attn {

namespace {

// Divides a row of numbers by its sum.
Var shares(Var x) {
    return x / sum(x);
}

// Returns a power of ten; multiplied by it, the largest score makes exp overflow in float32. Returns 1 if exp
// overflows without it, and 100 if the score is 0, because no factor changes that.
double overflowing_factor(const Tensor& scores) {
    constexpr double exp_overflows = 88.73;
    // Larger powers of ten are rounded in float32, and would print wrongly.
    constexpr double last_exact_power = 1e22;
    const auto most = double(*std::ranges::max_element(scores.values()));
    double factor = most == 0.0 ? 100.0 : 1.0;
    while (most > 0.0 && most * factor < exp_overflows && factor < last_exact_power) {
        factor *= 10.0;
    }
    return factor;
}

// Softmax of large scores, whose exp overflows float32: by the plain formula, then with the largest score
// subtracted first.
void large_scores(Notebook& nb, Var attn_scores, const std::string& number) {
    const Number factor = literal(overflowing_factor(attn_scores.value()));
    const Var large = nb.step({"large_scores_" + number, "l_" + number, {"key"}}, attn_scores * factor);
    nb.step({"large_exp_" + number, "e_" + number, {"key"}}, exp(large));
    nb.step({"large_weights_" + number + "_naive", "n′_" + number, {"key"}}, shares(exp(large)));
    nb.step({"shifted_scores_" + number, "l′_" + number, {"key"}}, large - amax(large));
    nb.step({"large_weights_" + number, "a′_" + number, {"key"}}, softmax(large, 0));
}

void walk_simplified(Notebook& nb, const Run& run) {
    // Names of steps count tokens from 1, code from 0.
    const std::string number = std::to_string(run.focus + 1);
    const auto named = [&](const std::string& name, const std::string& kind = "") {
        return name + "_" + number + kind;
    };

    const Var inputs = nb.step({"inputs", "X", token_feature}, embeddings(nb, run.lesson));
    const Var query = nb.step({"query", "q", {"feature"}}, select(inputs, {literal(run.focus)}));

    // Scores: dot products with the query, the first one term by term.
    const Var attn_scores_2 =
        nb.step({named("attn_scores"), "s_" + number, {"key"}}, row_dots(inputs, query));
    nb.step(named("res"), summed_products(select(inputs, {literal(0)}), query));
    nb.step(named("dot"), dot(select(inputs, {literal(0)}), query));

    // Weights: by the plain sum, by softmax written out, and by PyTorch's softmax.
    const Var weights_tmp =
        nb.step({named("attn_weights", "_tmp"), "t_" + number, {"key"}}, shares(attn_scores_2));
    nb.step(named("attn_weights", "_tmp_sum"), sum(weights_tmp));
    const Var weights_naive =
        nb.step({named("attn_weights", "_naive"), "n_" + number, {"key"}}, shares(exp(attn_scores_2)));
    nb.step(named("attn_weights", "_naive_sum"), sum(weights_naive));
    large_scores(nb, attn_scores_2, number);
    const Var attn_weights_2 =
        nb.step({named("attn_weights"), "a_" + number, {"key"}}, softmax(attn_scores_2, 0));
    nb.step(named("attn_weights", "_sum"), sum(attn_weights_2));

    nb.step({named("context_vec"), "z_" + number, {"feature"}}, weighted_rows(attn_weights_2, inputs));

    // All queries at once.
    const Var attn_scores_loop = nb.step({"attn_scores_loop", "S′", query_key}, pair_dots(inputs, inputs));
    const Var attn_scores = nb.step({"attn_scores", "S", query_key}, matmul(inputs, transpose(inputs)));
    nb.step("loop_agrees", agree(attn_scores_loop, attn_scores));
    const Var attn_weights = nb.step({"attn_weights", "A", query_key}, softmax(attn_scores, -1));
    nb.step({"row_sums", "r", {"query", "sum"}}, sum(attn_weights, -1, true));
    nb.step({"all_context_vecs", "Z", token_feature}, matmul(attn_weights, inputs));
}

}  // namespace

extern const Stage simplified_stage{
    .name = "simplified",
    .settings = {"lesson", "focus"},
    .defaults = {},
    .walk = walk_simplified,
    .why_no_gradients = "it has no weights and compares the embeddings directly",
};

}  // namespace attn
