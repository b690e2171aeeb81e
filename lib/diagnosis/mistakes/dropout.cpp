// Mistakes of dropout: how what is kept is scaled, which mask is drawn, and what it is applied to.
#include "diagnosis/mistakes/patterns.hpp"
#include "diagnosis/mistakes/variants.hpp"
#include "notebook/ops.hpp"
#include "stages/dropout_steps.hpp"

namespace attn::variants {

using namespace patterns;

namespace {

// The operand of dropout, in either form; empty if the call is not a dropout.
std::optional<Var> dropped(Notebook& nb, const Call& call);

// A mask written out and divided by 1 - p, as the walk does where it cannot be drawn.
bool rescales_mask(Notebook& nb, const Call& call) {
    return is(call, div_scalar_op) && call_of(operand(nb, call, 0)).operation->zero == CellKind::dropped;
}

std::optional<Var> dropped(Notebook& nb, const Call& call) {
    const bool drops =
        is(call, dropout_op) || (is(call, mul_op) && rescales_mask(nb, call_of(operand(nb, call, 1))));
    const bool weights = drops && softmax_of(operand(nb, call, 0));
    return weights ? std::optional(operand(nb, call, 0)) : std::nullopt;
}

// The last node of this operation so far.
std::optional<Var> last(Notebook& nb, const Operation& operation) {
    for (std::size_t id = nb.nodes().size(); id-- > 0;) {
        if (is(nb.nodes()[id].call, operation)) {
            return Var{&nb, id};
        }
    }
    return std::nullopt;
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
                 if (is(call, dropout_op)) {  // whose p may be wrong
                     const Number of_call = literal(call.value("p"));
                     return operand(nb, call, 0) * operand(nb, call, 1) / of_call;
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
    const auto on_weights = [](auto drop) {
        return Variant{
            [drop](Notebook& nb, const Call& call) -> std::optional<Var> {
                if (!is(call, matmul_op) || !is(call_of(original(operand(nb, call, 0))), softmax_op)) {
                    return std::nullopt;
                }
                const std::optional<Var> weights = drop(nb, operand(nb, call, 0));
                return weights ? std::optional(matmul(*weights, operand(nb, call, 1))) : std::nullopt;
            },
            {}};
    };
    // A module draws its mask where its layers left the generator.
    return {on_weights([parameters](Notebook&, Var weights) {
                return std::optional(seeded_dropout(weights, parameters));
            }),
            on_weights([p = literal(parameters.dropout)](Notebook& nb, Var weights) {
                const std::optional<Var> generator = last(nb, manual_seed_op);
                return generator ? std::optional(dropout(*generator, weights, p)) : std::nullopt;
            })};
}

Variants dropout_on_unmasked(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 const bool drops = is(call, dropout_op) || is(call, mul_op);
                 const std::optional<Var> softmax = drops ? softmax_of(operand(nb, call, 0)) : std::nullopt;
                 if (!softmax || !is_masked(operand(nb, call_of(*softmax), 0))) {
                     return std::nullopt;
                 }
                 std::vector<Var> inputs = operands(nb, call);
                 inputs[0] = unmasked(*softmax);
                 return nb.record(*call.operation, inputs, call.attributes);
             },
             {}}};
}

Variants dropout_twice(const Parameters&) {
    return only([](Notebook& nb, const Call& call) -> std::optional<Var> {
        if (!is(call, dropout_op) || !softmax_of(operand(nb, call, 0))) {
            return std::nullopt;
        }
        const Var once = nb.record(dropout_op, operands(nb, call), call.attributes);
        const std::optional<Var> generator = last(nb, manual_seed_op);
        return generator ? std::optional(dropout(*generator, once, call.number("p"))) : std::nullopt;
    });
}

Variants dropout_not_reseeded(const Parameters& right) {
    if (right.dropout == 0.0) {
        return {};
    }
    // The seed set before another use of dropout, or before the weights were drawn, is the only one.
    const auto after = [](const Operation& operation) {
        return Variant{[&operation](Notebook& nb, const Call& call) -> std::optional<Var> {
                           const bool seeds = is(call, manual_seed_op) && last(nb, operation);
                           return seeds ? last(nb, manual_seed_op) : std::nullopt;
                       },
                       {}};
    };
    const Variant mkl{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                          const std::optional<Var> before =
                              is(call, mkl_keep_mask_op) ? last(nb, mkl_keep_mask_op) : std::nullopt;
                          if (!before) {
                              return std::nullopt;
                          }
                          const Number drawn = literal(call_of(*before).value("drawn") + 1.0);
                          return nb.record(mkl_keep_mask_op, {}, call.attributes.with("drawn", drawn));
                      },
                      {}};
    if (right.dropout_rng == DropoutRng::mkl) {
        return {mkl};
    }
    Variant without_example = after(manual_seed_op);
    without_example.edit = [seeds = without_example.edit](Notebook& nb,
                                                          const Call& call) -> std::optional<Var> {
        const bool draws = call.operation->name == std::string_view("keep_mask");
        const bool is_example = draws && !softmax_of(operand(nb, call, 1));
        return is_example ? std::optional(operand(nb, call, 1)) : seeds(nb, call);
    };
    return {after(dropout_op), after(manual_seed_op), without_example};
}

namespace {

Edit with_p(double right, const Number& p) {
    return [=](Notebook& nb, const Call& call) -> std::optional<Var> {
        if (call.has("p") && call.value("p") == right) {
            return nb.record(*call.operation, operands(nb, call), call.attributes.with("p", p));
        }
        return rescales_mask(nb, call) ? std::optional(operand(nb, call, 0) / (literal(1) - p))
                                       : std::nullopt;
    };
}

}  // namespace

Variants dropout_other_p(const Parameters& right) {
    Variants variants;
    if (right.dropout == 0.0) {
        return variants;
    }
    for (const double p : {0.1, 0.5, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9}) {
        if (p != right.dropout) {
            variants.push_back({.change = [p](Parameters& parameters) { parameters.dropout = p; },
                                .like_change = with_p(right.dropout, literal(p))});
        }
    }
    return variants;
}

Variants dropout_before_softmax(const Parameters& right) {
    if (right.dropout == 0.0) {
        return {};
    }
    const auto before = [right](bool (*applies)(Notebook&, const Call&), bool to_operand) {
        return Variant{[right, applies, to_operand](Notebook& nb, const Call& call) -> std::optional<Var> {
                           if (const std::optional<Var> weights = dropped(nb, call)) {
                               return weights;
                           }
                           if (!applies(nb, call)) {
                               return std::nullopt;
                           }
                           std::vector<Var> inputs = operands(nb, call);
                           if (to_operand) {
                               inputs[0] = seeded_dropout(inputs[0], right);
                           }
                           const Var result = nb.record(*call.operation, inputs, call.attributes);
                           return to_operand ? result : seeded_dropout(result, right);
                       },
                       {}};
    };
    const auto masks = [](Notebook&, const Call& call) { return is(call, masked_fill_op); };
    const auto softens = [](Notebook& nb, const Call& call) {
        return is(call, softmax_op) && is_masked(operand(nb, call, 0));
    };
    return {before(makes_scores, false), before(masks, true), before(softens, true)};
}

}  // namespace attn::variants
