#include "stages/attention_steps.hpp"

#include <fmt/format.h>

#include "notebook/ops.hpp"
#include "stages/loss.hpp"
#include "tensor/error.hpp"

namespace attn {

Var inputs_step(Notebook& notebook, const Run& run) {
    return notebook.step({"inputs", "X", token_feature}, leaf(embeddings(notebook, run.lesson), run));
}

Number context_length(Var x) {
    return x.notebook->line({"context_length", "n"}, extent(x, 0, "n"));
}

Layers::Qkv query_key_value(Var x, const Run& run, Role role) {
    const Widths d = widths(x, run);
    return Layers(*x.notebook, run).query_key_value(d, role);
}

Name Scope::operator()(const Name& name) const {
    const std::string_view text = name.text;
    const bool drops = is_brief && text.starts_with("attn_");
    return {fmt::format("{}{}{}", before, text.substr(drops ? 5 : 0), after), name.letter + mark, name.axes};
}

Projected projected(Var x, const Layers::Qkv& layers, Role role, const Scope& in) {
    const auto show = [&](const Name& name, const Layer& layer) {
        return x.notebook->as(role, in(name), project(x, layer));
    };
    const Var queries = show({"queries", "Q", token_feature}, layers.query);
    const Var keys = show({"keys", "K", token_feature}, layers.key);
    return {queries, keys, show({"values", "V", token_feature}, layers.value)};
}

void require_equal_heads(const Parameters& p, std::string_view width) {
    if (p.d_out % p.num_heads != 0) {
        const std::size_t fitting = (p.d_out / p.num_heads + 1) * p.num_heads;
        throw Error("`num_heads`: {} heads do not divide {}, which is {}, into equal parts.", p.num_heads,
                    width, p.d_out)
            .correcting("`d_out`", fmt::format("`d_out` {}", fitting));
    }
}

Var causal_mask(Notebook& notebook, const Number& n) {
    return triu(ones(notebook, {n, n}), 1);
}

Var hidden(Var scores, Var mask) {
    return masked_fill(scores, as_bool(mask), minus_infinity());
}

Var scores_of(Var queries, Var keys) {
    const auto rank = int(keys.value().rank());
    return matmul(queries, rank == 2 ? transpose(keys) : transpose(keys, rank - 2, rank - 1));
}

Var scaled_softmax(Var scores, Var keys) {
    return softmax(scores / root_dk(keys), -1);
}

Var causal_head(Var masked, Var keys, const Name& weights, Role weights_role, const Scope& in) {
    Notebook& nb = *masked.notebook;
    return nb.as(weights_role, in(weights), scaled_softmax(nb.line(in(masked_name), masked), keys));
}

}  // namespace attn
