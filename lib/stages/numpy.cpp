// One head in NumPy, as document 003 writes it: plain matrices, and softmax written out.
#include "notebook/ops.hpp"
#include "stages/stage.hpp"

namespace attn {

namespace {

void walk_numpy(Notebook& nb, const Run& run) {
    const Parameters& p = run.parameters;
    const Number seq_len = nb.line("seq_len", literal(p.context_length));
    const Number d_model = nb.line("d_model", literal(p.d_out));
    const Number d_k = nb.line("d_k", d_model);

    const Var generator = nb.line("generator", numpy::seed(nb, p.seed));
    const Var x = nb.step({"x", "X", token_feature}, numpy::randn(generator, {seq_len, d_model}));
    const auto weight = [&](const char* name) {
        return nb.line({name, "", {"in", "out"}}, numpy::randn(generator, {d_model, d_model}));
    };
    const Var W_q = weight("W_q");
    const Var W_k = weight("W_k");
    const Var W_v = weight("W_v");
    const Var W_o = weight("W_o");

    const Var Q = nb.step({"Q", "", token_feature}, matmul(x, W_q));
    const Var K = nb.step({"K", "", token_feature}, matmul(x, W_k));
    const Var V = nb.step({"V", "", token_feature}, matmul(x, W_v));

    const Var scores = nb.step({"scores", "S", query_key}, matmul(Q, transpose(K)) / float_root(d_k));
    const Var causal_mask = nb.step({"causal_mask", "M", query_key}, tril(ones(nb, {seq_len, seq_len})));
    const Var visible = eq(causal_mask, literal(1));
    const Var masked = nb.step({"masked", "S′", query_key}, numpy::where(visible, scores, minus_infinity()));

    const Var x_max = nb.line({"x_max", "m", {"query", "max"}}, amax(masked, -1, true));
    const Var exp_x = nb.line({"exp_x", "E", query_key}, numpy::exp(masked - x_max));
    const Var attn_weights = nb.step({"attn_weights", "A", query_key}, exp_x / numpy::sum(exp_x));

    const Var out = nb.step({"out", "O", token_feature}, matmul(attn_weights, V));
    nb.step({"context_vec", "Z", token_feature}, matmul(out, W_o));
}

}  // namespace

extern const Stage numpy_stage{
    .name = "numpy",
    .settings = {"seed", "d_out"},
    .defaults = {.d_out = 4, .context_length = 5},
    .walk = walk_numpy,
    .language = Language::numpy,
    .why_no_gradients = "NumPy has no autograd; the other stages show gradients, also in NumPy code",
    .is_square = true,
};

}  // namespace attn
