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
    const Var queries =
        nb.line({head.name + "_queries", "Q_#", token_feature}, project(batch, head.layers.query));
    const Var keys = nb.line({head.name + "_keys", "K_#", token_feature}, project(batch, head.layers.key));
    const Var values =
        nb.line({head.name + "_values", "V_#", token_feature}, project(batch, head.layers.value));
    const Var masked = nb.line({head.name + "_masked", "S′_#", query_key},
                               mask_future(matmul(queries, transpose(keys, 1, 2)), mask, num_tokens));

    const Var softmaxed = scaled_softmax(masked, keys);
    const Name name{head.name + "_attn_weights", "A_#", query_key};
    Var attn_weights = weights_role == Role::step ? nb.step(name, softmaxed) : nb.line(name, softmaxed);
    if (dropout != nullptr) {
        attn_weights = nb.step({name.text + "_dropped", "D_#", query_key},
                               (*dropout)(attn_weights, {head.name + "_keep", "B_#", query_key}));
    }
    return matmul(attn_weights, values);
}

}  // namespace attn
