// Mistakes of the causal mask: where it lies, what it puts there, and whether it is used at all.
#include "diagnosis/mistakes/patterns.hpp"
#include "diagnosis/mistakes/variants.hpp"
#include "notebook/ops.hpp"

namespace attn::variants {

using namespace patterns;

namespace {

// The two triangles that stages mask with, and what each becomes.
Variant triangles(std::optional<Var> (*upper)(Var ones), std::optional<Var> (*lower)(Var ones)) {
    return {[upper, lower](Notebook& nb, const Call& call) -> std::optional<Var> {
                if (is(call, triu_op) && call.integer("diagonal") == 1) {
                    return upper(operand(nb, call, 0));
                }
                return is_lower_triangle(call) ? lower(operand(nb, call, 0)) : std::nullopt;
            },
            {}};
}

// Scores with the future masked, in PyTorch's words or NumPy's.
struct Masking {
    Var scores;
    const Call* call;
};

std::optional<Masking> masking(Notebook& nb, const Call& call) {
    if (is(call, masked_fill_op)) {
        return Masking{operand(nb, call, 0), &call};
    }
    return is(call, numpy::where_op) ? std::optional(Masking{operand(nb, call, 1), &call}) : std::nullopt;
}

Number finite(double value, const std::string& reads) {
    return named(value, reads, literal(value));
}

}  // namespace

Variants mask_flipped(const Parameters&) {
    return {triangles([](Var ones) { return std::optional(tril(ones)); },
                      [](Var ones) { return std::optional(triu(ones, 0)); }),
            triangles([](Var ones) { return std::optional(tril(ones, literal(-1))); },
                      [](Var ones) { return std::optional(triu(ones, 1)); })};
}

// A mask that says who may look, given where one is meant that says who may not.
Variants mask_convention_inverted(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (!is(call, masked_fill_op)) {
                     return std::nullopt;
                 }
                 return nb.record(masked_fill_op, {operand(nb, call, 0), logical_not(operand(nb, call, 1))},
                                  call.attributes);
             },
             {}}};
}

Variants mask_excludes_diagonal(const Parameters&) {
    return {triangles([](Var ones) { return std::optional(triu(ones, 0)); },
                      [](Var ones) { return std::optional(tril(ones, literal(-1))); })};
}

Variants mask_two_above_diagonal(const Parameters&) {
    return {triangles([](Var ones) { return std::optional(triu(ones, 2)); },
                      [](Var ones) { return std::optional(tril(ones, literal(1))); })};
}

Variants mask_added(const Parameters&) {
    return only([](Notebook& nb, const Call& call) -> std::optional<Var> {
        const auto masked = masking(nb, call);
        if (!masked) {
            return std::nullopt;
        }
        const Number n = literal(masked->scores.value().size(-1));
        return masked->scores + triu(ones(nb, {n, n}), 1);
    });
}

// Sums of rows that lie along the columns then: the wrong row divides.
Variants keepdim_missing(const Parameters&) {
    return only([](Notebook& nb, const Call& call) -> std::optional<Var> {
        if (call.operation->name != std::string_view("div") || call.inputs.size() != 2) {
            return std::nullopt;
        }
        const Call& sums = call_of(original(operand(nb, call, 1)));
        if (sums.operation->name != std::string_view("sum") || !sums.has("keepdim")) {
            return std::nullopt;
        }
        return operand(nb, call, 0) / sum(operand(nb, sums, 0), -1, false);
    });
}

Variants not_masked(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (const auto masked = masking(nb, call)) {
                     return masked->scores;
                 }
                 const bool by_mask =
                     is(call, mul_op) && is_lower_triangle(call_of(original(operand(nb, call, 1))));
                 return by_mask ? std::optional(operand(nb, call, 0)) : std::nullopt;
             },
             {}}};
}

Variants masked_not_renormalised(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (!is(call, softmax_op) || !is_masked(operand(nb, call, 0))) {
                     return std::nullopt;
                 }
                 const Var full = nb.record(softmax_op, {unmasked(operand(nb, call, 0))}, call.attributes);
                 return unmasked(full) * visible(full);
             },
             {}}};
}

Variants masked_with_zero(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 const auto masked = masking(nb, call);
                 return masked ? std::optional(masked->scores * visible(masked->scores)) : std::nullopt;
             },
             {}}};
}

Variants mask_times_infinity(const Parameters&) {
    return {{[](Notebook& nb, const Call& call) -> std::optional<Var> {
                 const auto masked = masking(nb, call);
                 if (!masked) {
                     return std::nullopt;
                 }
                 const Var scores = masked->scores;
                 const Number n = literal(scores.value().size(-1));
                 const std::optional<Var> mask = named(nb, "mask");
                 const bool fits = mask && mask->value().size(-1) == scores.value().size(-1);
                 return scores + (fits ? *mask : triu(ones(nb, {n, n}), 1)) * minus_infinity();
             },
             {}}};
}

Variants finite_mask_leak(const Parameters&) {
    Variants variants;
    for (const auto& [value, reads] : {std::pair{-1e2, "-1e2"},
                                       {-1e9, "-1e9"},
                                       {-1e4, "-1e4"},
                                       {-1e5, "-1e5"},
                                       {-1e10, "-1e10"},
                                       {-1e20, "-1e20"},
                                       {-1e3, "-1e3"},
                                       {-1e1, "-1e1"},
                                       {-1.0, "-1"}}) {
        variants.push_back(
            {[fill = finite(value, reads)](Notebook& nb, const Call& call) -> std::optional<Var> {
                 if (is(call, masked_fill_op)) {
                     return masked_fill(operand(nb, call, 0), operand(nb, call, 1), fill);
                 }
                 if (is(call, numpy::where_op)) {
                     return numpy::where(operand(nb, call, 0), operand(nb, call, 1), fill);
                 }
                 return std::nullopt;
             },
             {}});
    }
    return variants;
}

}  // namespace attn::variants
