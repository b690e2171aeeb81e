#include "stages/batch_steps.hpp"

#include "notebook/ops.hpp"
#include "stages/loss.hpp"

namespace attn {

Var batch_step(Notebook& notebook, const Run& run) {
    const Var inputs =
        notebook.setup({"inputs", "X", token_feature}, leaf(embeddings(notebook, run.lesson), run));
    return notebook.step({"batch", "X_b", token_feature},
                         stack(std::vector<Var>(run.parameters.batch, inputs)));
}

HeadSizes head_sizes(Var batch, const Run& run) {
    Notebook& nb = *batch.notebook;
    const Number b = nb.line("b", extent(batch, 0, "b"));
    const Number n = nb.line("num_tokens", extent(batch, 1, "n"));
    const Widths d = widths(batch, run);
    return {b, n, d, nb.line("num_heads", literal(run.parameters.num_heads))};
}

Var context_mask(Var batch, const Run& run) {
    Notebook& nb = *batch.notebook;
    const std::size_t length = run.parameters.context_length;
    const Number context_length = nb.line(
        {"context_length", "n"}, length == batch.value().size(1) ? extent(batch, 1, "n") : literal(length));
    return triu(ones(nb, {context_length, context_length}), 1);
}

Var mask_future(Var attn_scores, Var mask, const Number& num_tokens) {
    return masked_fill(attn_scores, slice(as_bool(mask), {num_tokens, num_tokens}), minus_infinity());
}

Var head_context(Var batch, const Head& head, Var mask, const Number& num_tokens, Role weights_role,
                 DropoutLayer* dropout) {
    Notebook& nb = *batch.notebook;
    const Scope in{"head_" + head.number + "_", "", "_" + head.number};
    const auto [queries, keys, values] = projected(batch, head.layers, Role::line, in);
    Var attn_weights = causal_head(mask_future(scores_of(queries, keys), mask, num_tokens), keys,
                                   attn_weights_name, weights_role, in);
    if (dropout != nullptr) {
        attn_weights = nb.step(in(dropped_weights_name), (*dropout)(attn_weights, in(keep_name)));
    }
    return matmul(attn_weights, values);
}

}  // namespace attn
