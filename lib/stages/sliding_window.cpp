// Sliding-window attention. Shows the band mask, the keys that a cache may drop, and masks that are one key
// too narrow or too wide. A window as wide as the sentence is causal attention.
#include <fmt/format.h>

#include "notebook/ops.hpp"
#include "stages/attention_steps.hpp"
#include "stages/stage.hpp"
#include "tensor/error.hpp"

namespace attn {

namespace {

// The scores, and the tensors that turn them into weights.
struct Scores {
    Var attn_scores;
    Var future;
    Var keys;

    Var masked(Var mask) const { return hidden(attn_scores, mask); }
    Var weights(Var masked) const { return scaled_softmax(masked, keys); }

    // The weights with a mask that hides the future, and also all keys on or below `diagonal`.
    Var banded(const std::string& name, const std::string& letter, const Number& n,
               const Number& diagonal) const {
        Notebook& nb = *future.notebook;
        const Var mask =
            nb.line({"mask_" + name, "U_" + letter, query_key}, future + tril(ones(nb, {n, n}), diagonal));
        return nb.step({"attn_weights_" + name, "A_" + letter, query_key}, weights(masked(mask)));
    }
};

void walk_sliding_window(Notebook& nb, const Run& run) {
    const Parameters& p = run.parameters;
    const std::size_t tokens = run.lesson.embeddings.size(0);
    if (*p.window > tokens) {
        throw Error("`window`: {} is wider than the sentence; expected 1 to {}.", *p.window, tokens)
            .correcting("`window`", fmt::format("`window` {}", tokens));
    }

    const Var inputs = inputs_step(nb, run);
    const auto [queries, keys, values] =
        projected(inputs, query_key_value(inputs, run, Role::line), Role::step);
    const Var attn_scores = nb.step(attn_scores_name, scores_of(queries, keys));

    // The band mask hides the future and everything before the window.
    const Number n = context_length(attn_scores);
    const Number window = nb.line({"window", "w"}, literal(*p.window));
    const Var future = nb.step({"future", "F", query_key}, causal_mask(nb, n));
    const Var past = nb.step({"past", "P", query_key}, tril(ones(nb, {n, n}), -window));
    const Var mask = nb.step(mask_name, future + past);
    const Scores scores{attn_scores, future, keys};
    const Var masked = nb.step(masked_name, scores.masked(mask));
    const Var attn_weights = nb.step(attn_weights_name, scores.weights(masked));
    const Var context_vec = nb.step(context_vec_name, matmul(attn_weights, values));

    // The keys that a program with a KV cache must store.
    const Var visible = nb.step({"visible", "M", query_key}, literal(1) - mask);
    nb.step({"keys_seen", "c", {"query"}}, sum(visible, -1, false));
    const Var last_scores = nb.line({"last_scores", "s", query_key},
                                    matmul(slice(queries, -literal(1)), transpose(slice(keys, -window))));
    const Var last_weights = nb.step({"last_weights", "a", query_key}, scaled_softmax(last_scores, keys));
    const Var last_context =
        nb.step({"last_context", "z", token_feature}, matmul(last_weights, slice(values, -window)));
    nb.step({"last_row_agrees", "g_q"}, agree(last_context, slice(context_vec, -literal(1))));
    nb.step({"paths", "N", query_key}, matmul(visible, visible));

    // Two mistakes: a window that is one key too narrow or too wide.
    nb.shows("window-off-by-one", scores.banded("narrower", "n", n, literal(1) - window));
    nb.shows("window-off-by-one", scores.banded("wider", "w", n, -window - literal(1)));

    // A window as wide as the sentence hides no earlier token.
    const Var whole = scores.banded("whole", "c", n, -n);
    const Var causal = nb.step(causal_weights_name, scores.weights(scores.masked(future)));
    nb.step({"whole_is_causal", "g_w"}, identical(whole, causal));
}

}  // namespace

extern const Stage sliding_window_stage{
    .name = "sliding-window",
    .settings = {"lesson", "weights", "seed", "d_out", "qkv_bias", "window", "backward", "loss"},
    .defaults = {.seed = 789},
    .walk = walk_sliding_window,
    .group = StageGroup::onward,
    .trains = "context_vec",
};

}  // namespace attn
