// Several heads in one layer: one projection computes all heads, view and transpose split them, and the merge
// joins them again.
#include <fmt/format.h>

#include "notebook/ops.hpp"
#include "stages/batch_steps.hpp"

namespace attn {

namespace {

// One head of a layer: its rows of the weight and its part of the bias.
Layer share(const Layer& layer, const std::string& name, std::size_t head, std::size_t head_dim) {
    Notebook& nb = *layer.weight.notebook;
    const Number from = literal(head * head_dim);
    const Number to = literal((head + 1) * head_dim);
    Layer part{nb.line(parameter_name(fmt::format("W_{}_{}", name, head + 1)), slice(layer.weight, from, to)),
               {}};
    if (layer.bias) {
        part.bias =
            nb.line(parameter_name(fmt::format("b_{}_{}", name, head + 1)), slice(*layer.bias, from, to));
    }
    return part;
}

void walk_multi_head(Notebook& nb, const Run& run) {
    const Parameters& p = run.parameters;
    require_equal_heads(p);

    const Var batch = batch_step(nb, run);
    const auto [b, n, d, h] = head_sizes(batch, run);
    const Number head_dim = nb.line("head_dim", floor_quotient(d.out, h));

    Layers layers(nb, run);
    const Layers::Qkv W = layers.query_key_value(d, Role::line);
    const Layer out_proj =
        layers.linear("W_out", "out_proj", d.out, d.out, layers.has_bias("out_proj", true), Role::line);
    const auto [queries, keys, values] = projected(batch, W, Role::step);

    // Splits heads: view cuts each row into heads, and transpose moves the heads before the tokens.
    const std::vector<Number> viewed{b, n, h, head_dim};
    const Var queries_viewed =
        nb.step({"queries_viewed", "Q_v", {"batch", "token", "head", "feature"}}, view(queries, viewed));
    const Var queries_heads =
        nb.step({"queries_heads", "Q_h", token_feature}, transpose(queries_viewed, 1, 2));
    nb.shows("heads-view-without-transpose",
             nb.step({"queries_view_only", "Q_w", token_feature}, view(queries, {b, h, n, head_dim})));
    const Var keys_heads = nb.step({"keys_heads", "K_h", token_feature}, transpose(view(keys, viewed), 1, 2));
    const Var values_heads =
        nb.step({"values_heads", "V_h", token_feature}, transpose(view(values, viewed), 1, 2));

    const Var attn_scores = nb.step(attn_scores_name, scores_of(queries_heads, keys_heads));
    const Var mask = nb.line(mask_name, context_mask(batch, run));
    const Var masked = nb.step(masked_name, mask_future(attn_scores, mask, n));
    const Var attn_weights = nb.step(attn_weights_name, scaled_softmax(masked, keys_heads));
    const Var used_weights = dropped_weights(attn_weights, p);
    const Var context_heads =
        nb.step({"context_heads", "Z_h", token_feature}, matmul(used_weights, values_heads));

    // Joins the heads again, step by step.
    const Var transposed = nb.step({"context_transposed", "Z_t", {"batch", "token", "head", "feature"}},
                                   transpose(context_heads, 1, 2));
    const Var in_order =
        nb.step({"context_contiguous", "Z_c", {"batch", "token", "head", "feature"}}, contiguous(transposed));
    const Var merged = nb.step({"context_merged", "Z_m", token_feature}, view(in_order, {b, n, d.out}));

    // The same heads as separate layers. Each layer has the rows of its head.
    std::vector<Var> heads;
    for (std::size_t head = 0; head < p.num_heads; ++head) {
        const std::size_t width = p.d_out / p.num_heads;
        const std::string number = std::to_string(head + 1);
        const Layers::Qkv own{share(W.query, "query", head, width), share(W.key, "key", head, width),
                              share(W.value, "value", head, width)};
        heads.push_back(nb.step({"head_" + number, "Z_" + number, token_feature},
                                head_context(batch, {number, own}, mask, n, Role::line)));
    }
    const Var stacked = nb.step({"heads_stacked", "Z_s", token_feature}, cat(heads, -1));
    const Var undropped =
        p.dropout == 0.0
            ? merged
            : nb.line({"context_undropped", "Z_u", token_feature},
                      view(contiguous(transpose(matmul(attn_weights, values_heads), 1, 2)), {b, n, d.out}));
    nb.step("same_numbers", agree(stacked, undropped));

    nb.step(context_vec_name, project(merged, out_proj));
}

}  // namespace

extern const Stage multi_head_stage{
    .name = "multi-head",
    .settings = settings_of_heads,
    .defaults = {.seed = 123, .num_heads = 2, .batch = 2},
    .walk = walk_multi_head,
    .head_layout = HeadLayout::split,
};

}  // namespace attn
