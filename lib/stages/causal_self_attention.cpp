// The module of document 003 at the size of a real model: biases, a mask stored for the longest sequence,
// several heads by view and transpose, and an output projection.
#include "notebook/ops.hpp"
#include "stages/attention_steps.hpp"
#include "stages/loss.hpp"
#include "stages/stage.hpp"

namespace attn {

namespace {

constexpr double tokens = 10;

// −∞, spelled as in the document.
Number float_minus_infinity() {
    const Number number = minus_infinity();
    return named({Leaf::From::number, number.value()},
                 {{"float('-inf')", number.in(Language::numpy), number.in(Language::cpp)}, number});
}

void walk_causal_self_attention(Notebook& nb, const Run& run) {
    const Parameters& p = run.parameters;
    require_equal_heads(p, "d_model");
    const Number d_model = nb.line("d_model", literal(p.d_out));
    const Number n_heads = nb.line({"n_heads", "h"}, literal(p.num_heads));
    const Number d_k = nb.line("d_k", floor_quotient(d_model, n_heads));
    const Number max_seq_len =
        nb.line("max_seq_len", literal(run.short_masks ? tokens : double(p.context_length)));

    Layers layers(nb, run);
    const auto layer = [&](const std::string& name) {
        const bool bias = name == "W_o" ? layers.has_bias(name, p.qkv_bias) : p.qkv_bias;
        return layers.linear(name, name, d_model, d_model, bias, Role::line);
    };
    const Layer W_q = layer("W_q");
    const Layer W_k = layer("W_k");
    const Layer W_v = layer("W_v");
    const Layer W_o = layer("W_o");
    const Var generator =
        layers.generator() ? *layers.generator() : nb.line("generator", manual_seed(nb, p.seed));
    const Var x = nb.step({"x", "X", token_feature},
                          leaf(randn(generator, {literal(p.batch), literal(tokens), d_model}), run));
    const Number batch_size = nb.line("batch_size", extent(x, 0, "b"));
    const Number seq_len = nb.line("seq_len", extent(x, 1, "n"));

    const auto heads = [&](Var projected) {
        return transpose(view(projected, {batch_size, seq_len, n_heads, d_k}), 1, 2);
    };
    const Var Q = nb.step({"Q", "", token_feature}, heads(project(x, W_q)));
    const Var K = nb.step({"K", "", token_feature}, heads(project(x, W_k)));
    const Var V = nb.step({"V", "", token_feature}, heads(project(x, W_v)));

    const Var scores = nb.step({"scores", "S", query_key}, matmul(Q, transpose(K, -2, -1)) / float_root(d_k));
    nb.step({"mask_example", "M", query_key}, tril(ones(nb, {literal(4), literal(4)})));
    const Var causal_mask =
        nb.line({"causal_mask", "M_c", query_key}, tril(ones(nb, {max_seq_len, max_seq_len})));
    const Var visible = eq(slice(causal_mask, {seq_len, seq_len}), literal(0));
    const Var masked = nb.step(masked_name, masked_fill(scores, visible, float_minus_infinity()));
    const Var attn_weights = nb.step(attn_weights_name, softmax(masked, -1));

    const Var merged = contiguous(transpose(matmul(attn_weights, V), 1, 2));
    const Var out = nb.step({"out", "O", token_feature}, view(merged, {batch_size, seq_len, d_model}));
    nb.step(context_vec_name, project(out, W_o));
}

}  // namespace

extern const Stage causal_self_attention_stage{
    .name = "causal-self-attention",
    .settings = {"weights", "seed", "d_out", "num_heads", "batch", "backward", "loss"},
    .defaults = {.d_out = 512, .num_heads = 8, .batch = 2, .context_length = 1024, .qkv_bias = true},
    .walk = walk_causal_self_attention,
    .head_layout = HeadLayout::split,
    .is_square = true,
};

}  // namespace attn
