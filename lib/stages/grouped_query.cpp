// Grouped-query attention: each head of keys and values is shared by a group of query heads. Also shows the
// result of repeating the heads in the wrong order, and how much memory is saved.
#include <fmt/format.h>

#include "notebook/ops.hpp"
#include "stages/batch_steps.hpp"
#include "stages/rotary_steps.hpp"
#include "tensor/error.hpp"
#include "tensor/layout.hpp"
#include "text/lists.hpp"

namespace attn {

namespace {

void require_groups(const Parameters& p) {
    require_equal_heads(p);
    if (*p.kv_heads == 0 || p.num_heads % *p.kv_heads != 0) {
        std::vector<std::size_t> fitting;
        for (std::size_t heads = 1; heads <= p.num_heads; ++heads) {
            if (p.num_heads % heads == 0) {
                fitting.push_back(heads);
            }
        }
        throw Error("`kv_heads`: {} does not divide the {} query heads into equal groups; these do: {}.",
                    *p.kv_heads, p.num_heads, joined(fitting))
            .correcting("`kv_heads`", fmt::format("`kv_heads` {}", fitting.back()));
    }
    if (p.rotary != Pairing::none) {
        require_pairs(p.d_out, p.num_heads);
    } else if (p.rotary_base) {
        throw Error("`rotary_base`: has no effect without rotation; add `rotary` halves or neighbours.");
    }
}

// (b, n, heads · head_dim) → (b, heads, n, head_dim)
Var by_heads(Var x, const Number& heads, const HeadSizes& of, const Number& head_dim) {
    return transpose(view(x, {of.b, of.num_tokens, heads, head_dim}), 1, 2);
}

// The rows of a layer's weight and bias that belong to its first head.
Layer first_head(const Layer& layer, const Number& head_dim) {
    Layer part{slice(layer.weight, literal(0), head_dim), std::nullopt};
    if (layer.bias) {
        part.bias = slice(*layer.bias, literal(0), head_dim);
    }
    return part;
}

void walk_grouped_query(Notebook& nb, const Run& run) {
    const Parameters& p = run.parameters;
    require_groups(p);

    const Var batch = batch_step(nb, run);
    const HeadSizes sizes = head_sizes(batch, run);
    const Number& n = sizes.num_tokens;
    const Number& d_out = sizes.widths.out;
    const Number& h = sizes.num_heads;
    const Number kv_heads = nb.line({"num_kv_heads", "h_kv"}, literal(*p.kv_heads));
    const Number head_dim = nb.line("head_dim", floor_quotient(d_out, h));
    const Number kv_width = nb.line({"kv_width", "d_kv"}, kv_heads * head_dim);

    Layers layers(nb, run);
    const auto projection = [&](const std::string& name, const Number& width) {
        return layers.linear(name, name, sizes.widths.in, width, p.qkv_bias, Role::line);
    };
    const Layer W_query = projection("W_query", d_out);
    const Layer W_key = projection("W_key", kv_width);
    const Layer W_value = projection("W_value", kv_width);
    const Layer out_proj =
        layers.linear("W_out", "out_proj", d_out, d_out, layers.has_bias("out_proj", true), Role::line);

    const auto [queries, keys, values] = projected(batch, {W_query, W_key, W_value}, Role::step);
    Var queries_heads =
        nb.step({"queries_heads", "Q_h", token_feature}, by_heads(queries, h, sizes, head_dim));
    Var keys_heads = nb.step({"keys_heads", "K_h", token_feature}, by_heads(keys, kv_heads, sizes, head_dim));
    const Var values_heads =
        nb.step({"values_heads", "V_h", token_feature}, by_heads(values, kv_heads, sizes, head_dim));

    // With rotary positions, all heads are rotated by the same angles.
    std::optional<Turns> turns;
    if (p.rotary != Pairing::none) {
        const Var theta = nb.step({"theta", "θ", {"pair"}}, rotary_theta(nb, p, head_dim));
        const Var positions = nb.line({"positions", "p", {"token"}}, arange(nb, literal(0), n, literal(1)));
        turns = turns_of(positions, theta, Role::line);
    }
    const auto in_position = [&](Var x) { return turns ? turned(x, *turns, p.rotary) : x; };
    if (turns) {
        queries_heads = nb.step({"queries_turned", "Q_t", token_feature}, in_position(queries_heads));
        keys_heads = nb.step({"keys_turned", "K_t", token_feature}, in_position(keys_heads));
    }

    // Repeats each key head once per query head of its group: a a b b.
    const Number group = nb.line({"group_size", "g"}, floor_quotient(h, kv_heads));
    const Var keys_repeated =
        nb.step({"keys_repeated", "K_r", token_feature}, repeat_interleave(keys_heads, group, 1));
    const Var values_repeated =
        nb.step({"values_repeated", "V_r", token_feature}, repeat_interleave(values_heads, group, 1));
    const Var attn_scores = nb.step(attn_scores_name, scores_of(queries_heads, keys_repeated));
    const Var mask = nb.line(mask_name, context_mask(batch, run));
    const Var masked = nb.step(masked_name, mask_future(attn_scores, mask, n));
    const Var attn_weights = nb.step(attn_weights_name, scaled_softmax(masked, keys_repeated));
    const Var context_heads =
        nb.step({"context_heads", "Z_h", token_feature}, matmul(attn_weights, values_repeated));
    const auto weights_of = [&](Var keys_used, const Scope& in) {
        return causal_head(mask_future(scores_of(queries_heads, keys_used), mask, n), keys_used,
                           attn_weights_name, Role::line, in);
    };
    const auto merge = [&](Var heads) {
        return view(contiguous(transpose(heads, 1, 2)), {sizes.b, n, d_out});
    };
    const Var context_merged = nb.step({"context_merged", "Z_m", token_feature}, merge(context_heads));
    nb.step(context_vec_name, project(context_merged, out_proj));

    // The wrong order: a b a b.
    const std::vector<Number> tiles{literal(1), group, literal(1), literal(1)};
    constexpr std::string_view mistake = "kv-heads-repeated-in-the-wrong-order";
    const Var keys_tiled =
        nb.shows(mistake, nb.step({"keys_tiled", "K_a", token_feature}, repeat(keys_heads, tiles)));
    const Var values_tiled = nb.line({"values_tiled", "V_t", token_feature}, repeat(values_heads, tiles));
    const Var weights_tiled = weights_of(keys_tiled, {"", "_tiled", "_t"});
    const Var context_tiled = nb.shows(
        mistake, nb.step({"context_tiled", "Z_t", token_feature}, matmul(weights_tiled, values_tiled)));
    nb.step({"heads_moved", "m", {"batch", "head"}}, amax(amax(abs(context_tiled - context_heads), -1), -1));

    // Shows that multi-head attention with copied weights gives the same numbers.
    const auto copies = [&](Var x, std::vector<Number> by_head, std::vector<Number> joined) {
        return view(repeat_interleave(view(x, std::move(by_head)), group, 0), std::move(joined));
    };
    Layer copied{
        nb.step({"W_key_copied", "W_kc", out_in},
                copies(W_key.weight, {kv_heads, head_dim, sizes.widths.in}, {d_out, sizes.widths.in})),
        {}};
    if (W_key.bias) {
        copied.bias =
            nb.line({"b_key_copied", "b_kc", {"out"}}, copies(*W_key.bias, {kv_heads, head_dim}, {d_out}));
    }
    const Var keys_copied = nb.line({"keys_copied", "K_c", token_feature},
                                    in_position(by_heads(project(batch, copied), h, sizes, head_dim)));
    nb.step({"copies_agree", "c"}, agree(keys_copied, keys_repeated));

    // One key head for all query heads: multi-query attention.
    const auto one_head = [&](const Layer& layer) {
        return by_heads(project(batch, first_head(layer, head_dim)), literal(1), sizes, head_dim);
    };
    const Var keys_shared =
        nb.step({"keys_shared", "K_1", token_feature}, repeat_interleave(in_position(one_head(W_key)), h, 1));
    const Var values_shared =
        nb.line({"values_shared", "V_1", token_feature}, repeat_interleave(one_head(W_value), h, 1));
    const Var weights_shared = weights_of(keys_shared, {"", "_shared", "_1"});
    nb.step({"context_shared", "Z_1", token_feature}, matmul(weights_shared, values_shared));

    // The number of key heads in three cases: one per query head, one per group, one for all.
    const Tensor choices(Shape{3}, {float(p.num_heads), float(*p.kv_heads), 1.0F});
    const Var counts = nb.step({"kv_head_counts", "h", {"choice"}}, nb.given(choices));
    const std::size_t width = p.d_out / p.num_heads;
    nb.step({"kv_weights", "W", {"choice"}},
            counts * nb.line("weights_per_head", literal(2 * width * p.d_in)));
    nb.step({"cache_bytes", "B", {"choice"}},
            counts * nb.line("bytes_per_head", literal(2 * width * sizeof(float))));
}

}  // namespace

extern const Stage grouped_query_stage{
    .name = "grouped-query",
    .settings = {"lesson", "weights", "seed", "d_out", "num_heads", "kv_heads", "qkv_bias", "batch",
                 "context_length", "rotary", "rotary_base", "backward", "loss"},
    .defaults = {.seed = 123, .d_out = 8, .num_heads = 4},
    .walk = walk_grouped_query,
    .head_layout = HeadLayout::split,
    .group = StageGroup::onward,
    .trains = "context_vec",
};

}  // namespace attn
