// Several heads by stacking causal heads: each has its own weights, and their context vectors are
// concatenated.
#include <fmt/format.h>

#include <optional>

#include "notebook/ops.hpp"
#include "stages/batch_steps.hpp"

namespace attn {

namespace {

void walk_multi_head_wrapper(Notebook& nb, const Run& run) {
    const Parameters& p = run.parameters;

    const Var batch = batch_step(nb, run);
    const Widths d = widths(batch, run);

    // The layers are drawn head by head: query, key, value.
    Layers layers(nb, run);
    std::vector<Head> heads;
    for (std::size_t h = 1; h <= p.num_heads; ++h) {
        heads.push_back({std::to_string(h), layers.query_key_value(d, Role::step, fmt::format("_{}", h),
                                                                   fmt::format("heads.{}.", h - 1))});
    }

    const Var mask = nb.line(mask_name, context_mask(batch, run));
    const Number num_tokens = nb.line("num_tokens", extent(batch, 1, "n"));
    std::optional<DropoutLayer> dropout;
    if (p.dropout > 0.0) {
        dropout.emplace(nb, p);  // the generator is seeded once, and the heads draw one after the other
    }
    std::vector<Var> contexts;
    for (const Head& head : heads) {
        contexts.push_back(
            nb.step({"head_" + head.number, "Z_" + head.number, token_feature},
                    head_context(batch, head, mask, num_tokens, Role::step, dropout ? &*dropout : nullptr)));
    }
    nb.step(context_vec_name, cat(contexts, -1));
}

}  // namespace

extern const Stage multi_head_wrapper_stage{
    .name = "multi-head-wrapper",
    .settings = settings_of_heads,
    .defaults = {.seed = 123, .num_heads = 2, .batch = 2},
    .walk = walk_multi_head_wrapper,
    .head_layout = HeadLayout::stacked,
};

}  // namespace attn
