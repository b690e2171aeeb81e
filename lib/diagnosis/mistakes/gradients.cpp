// Mistakes on the way back: what softmax, the scale and the keys pass on, and gradients that add up.
#include "diagnosis/mistakes/patterns.hpp"
#include "diagnosis/mistakes/variants.hpp"
#include "notebook/ops.hpp"

namespace attn::variants {

using namespace patterns;

namespace {

// An edit of runs that go back, and of no others.
Variants on_the_way_back(const Parameters& right, Edit edit) {
    return right.backward ? Variants{{std::move(edit), {}}} : Variants{};
}

bool is_gradient_of_scores(Var x) {
    Notebook& nb = *x.notebook;
    const std::optional<std::size_t> of = nb.nodes()[x.id].gradient_of;
    return of && makes_scores(nb, nb.nodes()[*of].call) && !makes_context(nb, nb.nodes()[*of].call);
}

}  // namespace

Variants softmax_gradient_without_sum(const Parameters& right) {
    return on_the_way_back(right, [](Notebook& nb, const Call& call) -> std::optional<Var> {
        if (!is(call, softmax_backward_op)) {
            return std::nullopt;
        }
        return operand(nb, call, 0) * operand(nb, call, 1);
    });
}

Variants gradient_not_scaled(const Parameters& right) {
    return on_the_way_back(right, [](Notebook& nb, const Call& call) -> std::optional<Var> {
        const bool scales =
            is(call, div_scalar_op) && is(call_of(original(operand(nb, call, 0))), softmax_backward_op);
        return scales ? std::optional(operand(nb, call, 0)) : std::nullopt;
    });
}

Variants keys_gradient_not_transposed(const Parameters& right) {
    return on_the_way_back(right, [](Notebook& nb, const Call& call) -> std::optional<Var> {
        if (!is(call, matmul_op) || !is(call_of(operand(nb, call, 0)), transpose_op)) {
            return std::nullopt;
        }
        const Var left = operand(nb, call_of(operand(nb, call, 0)), 0);
        const Var right = operand(nb, call, 1);
        if (is_gradient_of_scores(left)) {
            return matmul(left, right);
        }
        // For a batch, autograd computes the transposed gradient from the transposed queries.
        return is_gradient_of_scores(right)
                   ? std::optional(matmul(operand(nb, call, 0), matrix_transpose(right)))
                   : std::nullopt;
    });
}

Variants gradient_not_zeroed(const Parameters& right) {
    return on_the_way_back(right, [](Notebook& nb, const Call& call) -> std::optional<Var> {
        const bool starts = is(call, ones_like_op) && name_of(operand(nb, call, 0)) == "loss";
        return starts ? std::optional(ones_like(operand(nb, call, 0)) * literal(2)) : std::nullopt;
    });
}

Variants mean_for_sum(const Parameters& right) {
    Variants variants;
    for (const Loss loss : {Loss::sum, Loss::mean}) {
        if (right.backward && loss != right.loss) {
            variants.push_back({.change = [loss](Parameters& parameters) { parameters.loss = loss; }});
        }
    }
    return variants;
}

}  // namespace attn::variants
