// Mistakes between scores and context vectors: a wrong axis of softmax, a wrong scale, or wrong operands of a
// product.
#include "diagnosis/mistakes/kinds.hpp"
#include "diagnosis/mistakes/patterns.hpp"
#include "notebook/ops.hpp"

namespace attn {

using namespace patterns;

namespace {

// Returns d_k as the stage writes it: keys.shape[-1], or a named number.
Number width_of_keys(const At& scaling) {
    const Var keys = call_of(original(call_of(*scores_of(scaling.operand())).operand(1))).operand();
    const auto d_k = static_cast<double>(keys.value().size(-1));
    const bool has_own = named(scaling.notebook, "d_k") || name_of(keys).empty();
    return has_own ? number(scaling.notebook, "d_k", d_k) : extent(keys, -1, "d_k");
}

// Divides the scores by a different number.
Edit scaled(Var (*scale)(Var scores, const Number& d_k)) {
    return at(scales_scores, [scale](const At& c) { return scale(c.operand(), width_of_keys(c)); });
}

// Divides the scores by the root of one of the stage's widths.
std::vector<Variant> divided_by_root(std::string_view name, std::size_t width) {
    return {{at(scales_scores, [=](const At& c) {
        const std::string_view own = name == "d_out" && named(c.notebook, "d_model") ? "d_model" : name;
        return c.operand() / float_root(number(c.notebook, own, static_cast<double>(width)));
    })}};
}

// Multiplies the values by something other than the final weights.
Edit multiplied_by(std::optional<Var> (*before)(Var softened)) {
    return at(makes_context, [before](const At& c) -> std::optional<Var> {
        const std::optional<Var> scores = before(call_of(*softmax_of(c.operand())).operand());
        return scores ? std::optional(c.again(*scores)) : std::nullopt;
    });
}

// Returns true for x @ x.T.
bool multiplies_with_itself(const At& c) {
    return makes_scores(c) && original(call_of(c.operand(1)).operand()).id == original(c.operand()).id;
}

// The wrong scores may have a different shape than the scores of the loop. Then the step loop_agrees cannot
// subtract them, and this edit leaves the subtraction out.
Edit multiplied_with_itself(Var (*multiply)(Var x)) {
    return [multiply](Notebook& notebook, const Call& call) -> std::optional<Var> {
        const At c{notebook, call};
        if (c.is_called("sub") && c.operand(0).value().shape() != c.operand(1).value().shape()) {
            return c.operand(1);
        }
        return multiplies_with_itself(c) ? std::optional(multiply(c.operand())) : std::nullopt;
    };
}

// Replaces softmax by another function.
Edit softened_by(Var (*soften)(Var scores)) {
    return at(softmax_op, [soften](const At& c) { return soften(c.operand()); });
}

Var divided_by_sum(Var x) {
    return x / (x.value().rank() > 1 ? sum(x, -1, true) : sum(x));
}

// Returns the input of a layer without a bias.
std::optional<Var> input_of_projection(Var projected) {
    const At c = call_of(original(projected));
    return c.is(matmul_op) ? std::optional(c.operand()) : std::nullopt;
}

bool sums_rows_in_loop(const At& c) {
    return c.is(weighted_rows_op);
}

bool has_heads(const At& c) {
    return c.is(softmax_op) && c.operand().value().rank() == 4;
}

// The softmax that NumPy code writes out: e / e.sum(axis=-1). Without keepdims, the sums lack the axis of the
// keys; the subtracted maxima may lack it, too.
Edit written_out_down_columns(bool with_maxima) {
    return at([](const At& c) { return c.is_called("div") && c.call.inputs.size() == 2; },
              [with_maxima](const At& c) -> std::optional<Var> {
                  const At sums = call_of(c.operand(1));
                  const At e = call_of(original(c.operand()));
                  if (!sums.is_called("sum") || sums.call.has("dim") || !e.is_called("exp")) {
                      return std::nullopt;
                  }
                  const At shifted = call_of(original(e.operand()));
                  const Var terms = with_maxima ? e.again(shifted.operand()) : c.operand();
                  return terms / transpose(sums.again(transpose(terms)));
              });
}

}  // namespace

std::vector<Mistake> score_mistakes() {
    return {
        {"softmax-wrong-axis",
         8.4,
         {at(softmax_op,
             [](const At& c) -> std::optional<Var> {
                 const auto rank = static_cast<int>(c.operand().value().rank());
                 const bool is_over_keys = c.call.integer("dim") == -1 && rank > 1;
                 return is_over_keys ? std::optional(softmax(c.operand(), rank - 2)) : std::nullopt;
             }),
          written_out_down_columns(true), written_out_down_columns(false)}},
        {"softmax-over-heads", 14.5, at(has_heads, [](const At& c) { return softmax(c.operand(), 1); })},
        {"softmax-over-all", 15.2, softened_by([](Var scores) { return exp(scores) / sum(exp(scores)); })},
        {"divided-by-sum", 15.2, softened_by(divided_by_sum)},
        {"sigmoid-instead-of-softmax", 15.3,
         softened_by([](Var scores) { return literal(1) / (ones_like(scores) + exp(-scores)); })},
        {"softmax-twice", 11.6, at(softmax_op, [](const At& c) { return c.again(c.again()); })},
        {"no-scaling", 11, at(scales_scores, [](const At& c) { return c.operand(); })},
        {"scaled-by-d-in", 12, [](const Parameters& right) { return divided_by_root("d_in", right.d_in); }},
        {"scaled-by-d-out", 12.3,
         [](const Parameters& right) { return divided_by_root("d_out", right.d_out); }},
        {"scaled-by-d-k", 12.6, scaled([](Var scores, const Number& d_k) { return scores / d_k; })},
        {"scaled-by-half", 14,
         scaled([](Var scores, const Number& d_k) { return scores / d_k * literal(0.5); })},
        {"scaled-by-d-k-squared", 14.5,
         scaled([](Var scores, const Number& d_k) { return scores / literal(d_k.value() * d_k.value()); })},
        {"multiplied-by-root-d-k", 14,
         scaled([](Var scores, const Number& d_k) { return scores * float_root(d_k); })},
        {"scaled-by-root-tokens", 14.5, scaled([](Var scores, const Number&) {
             return scores / float_root(literal(scores.value().size(-1)));
         })},
        {"scaled-needlessly", 15.1,
         at(softmax_op,
            [](const At& c) -> std::optional<Var> {
                const At scores = call_of(original(c.operand()));
                return scores.is(matmul_op) || scores.is(row_dots_op)
                           ? std::optional(c.again(c.operand() /
                                                   float_root(literal(scores.operand().value().size(-1)))))
                           : std::nullopt;
            })},
        {"scaled-after-softmax", 14.5,
         at(softmax_op,
            [](const At& c) -> std::optional<Var> {
                const At scaling = call_of(c.operand());
                return scales_scores(scaling) ? std::optional(scaling.again(c.again(scaling.operand())))
                                              : std::nullopt;
            })},
        {"masked-between-softmaxes", 14.5,
         at(is_masked_softmax,
            [](const At& c) { return c.again(masked_as(c.again(unmasked(c.operand())), c.operand())); })},
        {"queries-keys-swapped", 14.7,
         at(makes_scores,
            [](const At& c) {
                const At turned = call_of(c.operand(1));
                return matmul(turned.operand(), turned.again(c.operand()));
            })},
        {"scores-of-inputs", 15.2,
         at(makes_scores,
            [](const At& c) -> std::optional<Var> {
                const At turned = call_of(c.operand(1));
                const std::optional<Var> x = input_of_projection(c.operand());
                return x && input_of_projection(turned.operand())
                           ? std::optional(matmul(*x, turned.again(*x)))
                           : std::nullopt;
            })},
        {"features-compared", 15.3,
         multiplied_with_itself([](Var x) { return matmul(matrix_transpose(x), x); })},
        {"elementwise-product", 15.3, multiplied_with_itself([](Var x) { return x * x; })},
        {"cosine-similarity", 15.3, multiplied_with_itself([](Var x) {
             const Var unit = x / sqrt(sum(square(x), -1, true));
             return matmul(unit, matrix_transpose(unit));
         })},
        {"added-up-twice", 15.1,
         at(sums_rows_in_loop, [](const At& c) { return matmul(c.operand(0), c.operand(1)) * literal(2); })},
        {"assigned-not-added", 15.1,
         at(sums_rows_in_loop,
            [](const At& c) {
                const Number last = literal(c.operand().value().size(-1) - 1);
                return select(c.operand(1), {last}) * select(c.operand(0), {last});
            })},
        {"scores-for-weights",
         14.8,
         {multiplied_by(scores_of), multiplied_by([](Var softened) { return std::optional(softened); }),
          multiplied_by([](Var softened) { return std::optional(unmasked(softened)); })}},
        {"inputs-for-values", 14.9,
         at(makes_context,
            [](const At& c) -> std::optional<Var> {
                Var values = original(c.operand(1));
                if (call_of(values).is(add_op)) {  // the projection has a bias
                    values = original(call_of(values).operand());
                }
                const bool is_projected = call_of(values).is(matmul_op);
                return is_projected ? std::optional(matmul(c.operand(), call_of(values).operand()))
                                    : std::nullopt;
            })},
        {"keys-for-values", 14.5,
         at(makes_context,
            [](const At& c) -> std::optional<Var> {
                const auto scores = scores_of(call_of(*softmax_of(c.operand())).operand());
                return scores && makes_scores(call_of(*scores))
                           ? std::optional(
                                 matmul(c.operand(), call_of(call_of(*scores).operand(1)).operand()))
                           : std::nullopt;
            })},
        {"weights-transposed", 14.9,
         at(makes_context,
            [](const At& c) -> std::optional<Var> {
                const bool is_matrix = c.operand().value().rank() > 1;
                return is_matrix ? std::optional(c.again(matrix_transpose(c.operand()))) : std::nullopt;
            })},
    };
}

}  // namespace attn
