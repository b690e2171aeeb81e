// Mistakes of dropout: how what is kept is scaled, which mask is drawn, and what it is applied to.
#include "diagnosis/mistakes/patterns.hpp"
#include "diagnosis/mistakes/variants.hpp"
#include "notebook/ops.hpp"
#include "stages/dropout_steps.hpp"

namespace attn::variants {

using namespace patterns;

namespace {

// A mask written out and divided by 1 - p, as the walk does where it cannot be drawn.
bool rescales_mask(Notebook& nb, const Call& call) {
    return is(call, div_scalar_op) && call_of(operand(nb, call, 0)).operation->zero == CellKind::dropped;
}

}  // namespace

Variants dropout_not_rescaled(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (is(call, dropout_op)) {
                     return operand(nb, call, 0) * operand(nb, call, 1);
                 }
                 return rescales_mask(nb, call) ? std::optional(operand(nb, call, 0)) : std::nullopt;
             },
             {}}};
}

Variants dropout_scaled_by_p(const Parameters& right) {
    return {{[p = literal(right.dropout)](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (is(call, dropout_op)) {
                     return operand(nb, call, 0) * operand(nb, call, 1) / p;
                 }
                 return rescales_mask(nb, call) ? std::optional(operand(nb, call, 0) / p) : std::nullopt;
             },
             {}}};
}

Variants dropout_other_rng(const Parameters& right) {
    if (right.dropout == 0.0) {
        return {};
    }
    return {{{}, [](Parameters& parameters) {
                 parameters.dropout_rng =
                     parameters.dropout_rng == DropoutRng::mkl ? DropoutRng::mt19937 : DropoutRng::mkl;
             }}};
}

Variants dropout_in_eval(const Parameters& right) {
    Parameters parameters = right;
    if (parameters.dropout == 0.0) {
        parameters.dropout = 0.5;  // the documents' own
    }
    return {{[parameters](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (!is(call, matmul_op) || !is(call_of(original(operand(nb, call, 0))), softmax_op)) {
                     return std::nullopt;
                 }
                 return matmul(seeded_dropout(operand(nb, call, 0), parameters), operand(nb, call, 1));
             },
             {}}};
}

Variants dropout_on_unmasked(const Parameters&) {
    return {
        {[](Notebook& nb, const Call& call) -> std::optional<Var> {
             const bool drops = is(call, dropout_op) || is(call, mul_op);
             const std::optional<Var> softmax = drops ? softmax_of(operand(nb, call, 0)) : std::nullopt;
             if (!softmax || !is_masked(operand(nb, call_of(*softmax), 0))) {
                 return std::nullopt;
             }
             return nb.record(*call.operation, {unmasked(*softmax), operand(nb, call, 1)}, call.attributes);
         },
         {}}};
}

}  // namespace attn::variants
