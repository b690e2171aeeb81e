// Mistakes between scores and context vectors: the axis of softmax, the scale, and what is multiplied.
#include <string>

#include "diagnosis/mistakes/patterns.hpp"
#include "diagnosis/mistakes/variants.hpp"
#include "notebook/ops.hpp"

namespace attn::variants {

using namespace patterns;

namespace {

bool scales_scores(Notebook& nb, const Call& call) {
    return is(call, div_scalar_op) && scores_of(operand(nb, call, 0));
}

// Divides scores by something else, made from the call.
template <typename Divisor>
Variants scaled_by(Divisor divisor) {
    return {{[divisor](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (!scales_scores(nb, call)) {
                     return std::nullopt;
                 }
                 return operand(nb, call, 0) / divisor(nb, call);
             },
             {}}};
}

// d_k, as the stage calls it: keys.shape[-1], or a number of its own.
Number width_of_keys(Notebook& nb, const Call& call) {
    const Var transposed = operand(nb, call_of(*scores_of(operand(nb, call, 0))), 1);
    const Call& made = call_of(original(transposed));
    const Var keys = operand(nb, made, 0);
    const auto d_k = static_cast<double>(keys.value().size(-1));
    return named(nb, "d_k") || name_of(keys).empty() ? number(nb, "d_k", d_k) : extent(keys, -1, "d_k");
}

Variants multiplied_by_scores(std::optional<Var> (*scores)(Var softmax)) {
    return {{[scores](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (!makes_context(nb, call)) {
                     return std::nullopt;
                 }
                 const std::optional<Var> instead = scores(*softmax_of(operand(nb, call, 0)));
                 return instead ? std::optional(matmul(*instead, operand(nb, call, 1))) : std::nullopt;
             },
             {}}};
}

}  // namespace

Variants softmax_wrong_axis(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (!is(call, softmax_op) || call.integer("dim") != -1) {
                     return std::nullopt;
                 }
                 const Var x = operand(nb, call, 0);
                 const auto rank = static_cast<int>(x.value().rank());
                 return rank < 2 ? std::nullopt : std::optional(softmax(x, rank - 2));
             },
             {}}};
}

Variants softmax_twice(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (!is(call, softmax_op)) {
                     return std::nullopt;
                 }
                 const Var weights = nb.record(softmax_op, {operand(nb, call, 0)}, call.attributes);
                 return nb.record(softmax_op, {weights}, call.attributes);
             },
             {}}};
}

Variants queries_keys_swapped(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (!makes_scores(nb, call)) {
                     return std::nullopt;
                 }
                 const Var queries = operand(nb, call, 0);
                 const Call& transposed = call_of(operand(nb, call, 1));
                 const Var keys = operand(nb, transposed, 0);
                 return matmul(keys, nb.record(transpose_op, {queries}, transposed.attributes));
             },
             {}}};
}

Variants no_scaling(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 return scales_scores(nb, call) ? std::optional(operand(nb, call, 0)) : std::nullopt;
             },
             {}}};
}

namespace {

// Scales scores otherwise, by d_k.
Variants rescaled(Var (*scale)(Var scores, const Number& d_k)) {
    return only([scale](Notebook& nb, const Call& call) -> std::optional<Var> {
        return scales_scores(nb, call) ? std::optional(scale(operand(nb, call, 0), width_of_keys(nb, call)))
                                       : std::nullopt;
    });
}

}  // namespace

Variants scaled_by_half(const Parameters&) {
    return rescaled([](Var scores, const Number& d_k) { return scores / d_k * literal(0.5); });
}

Variants scaled_by_d_k_squared(const Parameters&) {
    return rescaled(
        [](Var scores, const Number& d_k) { return scores / literal(d_k.value() * d_k.value()); });
}

Variants multiplied_by_root_d_k(const Parameters&) {
    return rescaled([](Var scores, const Number& d_k) { return scores * float_root(d_k); });
}

Variants scaled_by_root_tokens(const Parameters&) {
    return scaled_by([](Notebook& nb, const Call& call) {
        return float_root(literal(operand(nb, call, 0).value().size(-1)));
    });
}

Variants scaled_after_softmax(const Parameters&) {
    return only([](Notebook& nb, const Call& call) -> std::optional<Var> {
        if (!is(call, softmax_op) || !scales_scores(nb, call_of(operand(nb, call, 0)))) {
            return std::nullopt;
        }
        const Call& scaled = call_of(operand(nb, call, 0));
        const Var weights = nb.record(softmax_op, {operand(nb, scaled, 0)}, call.attributes);
        return nb.record(div_scalar_op, {weights}, scaled.attributes);
    });
}

Variants masked_between_softmaxes(const Parameters&) {
    return only([](Notebook& nb, const Call& call) -> std::optional<Var> {
        if (!is(call, softmax_op) || !is_masked(operand(nb, call, 0))) {
            return std::nullopt;
        }
        const Var full = nb.record(softmax_op, {unmasked(operand(nb, call, 0))}, call.attributes);
        return nb.record(softmax_op, {masked_as(full, operand(nb, call, 0))}, call.attributes);
    });
}

Variants softmax_over_heads(const Parameters&) {
    return only([](Notebook& nb, const Call& call) -> std::optional<Var> {
        const bool has_heads = is(call, softmax_op) && operand(nb, call, 0).value().rank() == 4;
        return has_heads ? std::optional(softmax(operand(nb, call, 0), 1)) : std::nullopt;
    });
}

Variants keys_for_values(const Parameters&) {
    return only([](Notebook& nb, const Call& call) -> std::optional<Var> {
        const std::optional<Var> softmax =
            makes_context(nb, call) ? softmax_of(operand(nb, call, 0)) : std::nullopt;
        const std::optional<Var> scores =
            softmax ? scores_of(operand(nb, call_of(*softmax), 0)) : std::nullopt;
        if (!scores || !makes_scores(nb, call_of(*scores))) {
            return std::nullopt;
        }
        return matmul(operand(nb, call, 0), operand(nb, call_of(operand(nb, call_of(*scores), 1)), 0));
    });
}

Variants scaled_by_d_in(const Parameters& right) {
    return scaled_by([d_in = right.d_in](Notebook& nb, const Call&) {
        return float_root(number(nb, "d_in", static_cast<double>(d_in)));
    });
}

Variants scaled_by_d_out(const Parameters& right) {
    return scaled_by([d_out = right.d_out](Notebook& nb, const Call&) {
        const std::string_view name = named(nb, "d_model") ? "d_model" : "d_out";
        return float_root(number(nb, name, static_cast<double>(d_out)));
    });
}

Variants scaled_by_d_k(const Parameters&) {
    return scaled_by(width_of_keys);
}

Variants scores_for_weights(const Parameters&) {
    Variants variants = multiplied_by_scores(
        [](Var softmax) { return scores_of(operand(*softmax.notebook, call_of(softmax), 0)); });
    const auto masked = [](Var softmax) {
        return std::optional(operand(*softmax.notebook, call_of(softmax), 0));
    };
    variants.push_back(multiplied_by_scores(masked).front());
    const auto scaled = [](Var softmax) {
        return std::optional(unmasked(operand(*softmax.notebook, call_of(softmax), 0)));
    };
    variants.push_back(multiplied_by_scores(scaled).front());
    return variants;
}

Variants inputs_for_values(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (!makes_context(nb, call)) {
                     return std::nullopt;
                 }
                 Var values = original(operand(nb, call, 1));
                 if (is(call_of(values), add_op)) {  // a bias
                     values = original(operand(nb, call_of(values), 0));
                 }
                 if (!is(call_of(values), matmul_op)) {
                     return std::nullopt;
                 }
                 return matmul(operand(nb, call, 0), operand(nb, call_of(values), 0));
             },
             {}}};
}

Variants weights_transposed(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (!makes_context(nb, call)) {
                     return std::nullopt;
                 }
                 const Var weights = operand(nb, call, 0);
                 const auto rank = static_cast<int>(weights.value().rank());
                 if (rank < 2) {
                     return std::nullopt;
                 }
                 const Var values = operand(nb, call, 1);
                 return matmul(rank == 2 ? transpose(weights) : transpose(weights, rank - 2, rank - 1),
                               values);
             },
             {}}};
}

}  // namespace attn::variants
