// Mistakes between scores and context vectors: a wrong axis of softmax, a wrong scale, or wrong operands of a
// product.
#include <cmath>
#include <numbers>

#include "mistakes/kinds.hpp"
#include "mistakes/patterns.hpp"
#include "notebook/ops.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layout.hpp"
#include "tensor/matmul.hpp"
#include "tensor/softmax.hpp"

namespace attn {

using namespace patterns;

namespace {

// Returns d_k as the stage writes it: keys.shape[-1], or a named number.
Number width_of_keys(const At& scaling) {
    const Var keys = call_of(*scores_of(scaling.operand())).origin(1).operand();
    const auto d_k = static_cast<double>(keys.value().size(-1));
    const bool has_own = named(scaling.notebook, "d_k") || name_of(keys).empty();
    return has_own ? number(scaling.notebook, "d_k", d_k) : extent(keys, -1, "d_k");
}

// Divides the scores by a different number.
Edit scaled(Var (*scale)(Var scores, const Number& d_k)) {
    return at(scales_scores, [scale](const At& c) { return scale(c.operand(), width_of_keys(c)); });
}

// Divides the scores by the root of one of the stage's widths.
std::vector<WalkEdit> divided_by_root(std::string_view name, std::size_t width) {
    return {{at(scales_scores, [=](const At& c) {
        const std::string_view own = name == "d_out" && named(c.notebook, "d_model") ? "d_model" : name;
        return c.operand() / float_root(number(c.notebook, own, static_cast<double>(width)));
    })}};
}

// Multiplies the values by something other than the final weights.
Edit multiplied_by(MaybeVar (*before)(Var softened)) {
    return at(makes_context, [before](const At& c) {
        const MaybeVar scores = before(call_of(*softmax_of(c.operand())).operand());
        return scores ? c.again(*scores) : none;
    });
}

// Returns true for x @ x.T.
bool multiplies_with_itself(const At& c) {
    return makes_scores(c) && original(c.maker(1).operand()).id == original(c.operand()).id;
}

// The wrong scores may have a different shape than the scores of the loop. Then the step loop_agrees cannot
// subtract them, and this edit leaves the subtraction out.
Edit multiplied_with_itself(Function multiply) {
    return at([multiply](const At& c) -> MaybeVar {
        if (c.is_called("sub") && c.operand(0).value().shape() != c.operand(1).value().shape()) {
            return c.operand(1);
        }
        return multiplies_with_itself(c) ? multiply(c.operand()) : none;
    });
}

bool multiplies_by_keys(const At& c) {
    return makes_scores(c) || (c.is(matmul_op) && c.rank() == 1 && c.maker(1).is(transpose_op));
}

bool compares_rows(const At& c) {
    return makes_scores(c) && c.rank() == 2;
}

// Compares the features of queries and keys. The scores then have a different shape, and the context vectors,
// which cannot be computed, are zeros.
MaybeVar query_features_compared(const At& c) {
    if (makes_context(c) && c.operand().value().size(-1) != c.operand(1).value().size(-2)) {
        return c.operand(1) * literal(0);
    }
    return compares_rows(c) && !multiplies_with_itself(c)
               ? matmul(transpose(c.operand()), c.maker(1).operand())
               : none;
}

// Replaces softmax by another function.
Edit softened_by(Function soften) {
    return at(softmax_op, applied(soften));
}

// Returns the sum, or the largest number, of each row.
Var total(Var x) {
    return x.value().rank() > 1 ? sum(x, -1, true) : sum(x);
}
Var largest(Var x) {
    return x.value().rank() > 1 ? amax(x, -1, true) : amax(x);
}

Var divided_by_sum(Var x) {
    return x / total(x);
}

const Operation log_softmax_op{
    .name = "log_softmax",
    .evaluate =
        [](const Arguments& x) {
            Tensor logs = softmax(x[0], x.call.integer("dim"));
            for (float& weight : logs.values()) {
                weight = static_cast<float>(std::log(static_cast<double>(weight)));
            }
            return logs;
        },
    .torch = "torch.log_softmax({0}, dim={dim})",
};

const Operation exp2_op{
    .name = "exp2",
    .evaluate = [](const Arguments& x) { return exp(mul(x[0], std::numbers::ln2)); },
    .torch = "torch.exp2({0})",
};

// Changes the scaled scores before they are masked.
Edit changed_scores(Function change) {
    return at(softmax_op, [change](const At& c) {
        const Var scores = c.operand();
        return c.again(is_masked(scores) ? masked_as(change(unmasked(scores)), scores) : change(scores));
    });
}

// The distances between the rows of two matrices.
const Operation cdist_op{
    .name = "cdist",
    .evaluate =
        [](const Arguments& x) {
            Tensor distances(Shape{x[0].size(0), x[1].size(0)});
            for (std::size_t i = 0; i < distances.count(); ++i) {
                const Index cell = distances.index(i);
                const Tensor difference = sub(select(x[0], {cell[0]}), select(x[1], {cell[1]}));
                distances.values()[i] = std::sqrt(dot(difference, difference).values()[0]);
            }
            return distances;
        },
    .torch = "torch.cdist({0}, {1})",
};

Var distances(const At& c) {
    return cdist_op(c.operand(), c.maker(1).operand());
}

// Returns x_i · x_i in each cell of row i.
Var squared_lengths(Var x) {
    return expand_as(sum(square(x), -1, true), matmul(x, transpose(x)));
}

// The loop that adds up a context vector begins with the query itself, which it changes.
const Operation added_to_query_op{
    .name = "added_to_query",
    .evaluate =
        [](const Arguments& x) {
            Tensor vectors = x[1];
            const std::size_t width = vectors.size(-1);
            const std::size_t query = x.call.size("query") * width;
            for (std::size_t at = 0; at < vectors.count(); ++at) {
                vectors.values()[query + at % width] += x[0].values()[at / width] * vectors.values()[at];
            }
            return select(vectors, {x.call.size("query")});
        },
    .torch = {"{name} = query\n"
              "for i, x_i in enumerate({1}):\n"
              "    {name} += {0}[i] * x_i"},
};

// Returns the context vectors that a loop adds up.
Var weighted_sum(const At& c) {
    return matmul(c.operand(0), c.operand(1));
}

// Returns true if a loop adds up the context vector of one query.
bool adds_up_for_query(const At& c) {
    return c.is(weighted_rows) && named(c.notebook, "query");
}

Var begun_with_query(const At& c) {
    const Number& index = call_of(*named(c.notebook, "query")).call.number("index");
    return added_to_query_op(c.operands(), {{"query", {index}}});
}

// Leaves out tokens before `from` or after `to`, which counts from the end.
Edit only_tokens(std::size_t from, std::size_t to) {
    return at(weighted_rows, [=](const At& c) {
        const auto part = [&](Var x) { return slice(x, literal(from), literal(x.value().size(0) - to)); };
        return matmul(part(c.operand(0)), part(c.operand(1)));
    });
}

// Returns the input of a layer without a bias.
MaybeVar input_of_projection(Var projected) {
    const At c = call_of(original(projected));
    return c.is(matmul_op) ? c.operand() : none;
}

// The softmax that NumPy code writes out: e / e.sum(axis=-1). Without keepdims, the sums lack the axis of the
// keys; the subtracted maxima may lack it, too.
Edit written_out_down_columns(bool with_maxima) {
    return at([](const At& c) { return c.is_called("div") && c.call.inputs.size() == 2; },
              [with_maxima](const At& c) -> MaybeVar {
                  const At sums = c.maker(1);
                  const At e = c.origin();
                  if (!sums.is_called("sum") || sums.call.has("dim") || !e.is_called("exp")) {
                      return none;
                  }
                  const Var terms = with_maxima ? e.again(e.origin().operand()) : c.operand();
                  return terms / transpose(sums.again(transpose(terms)));
              });
}

}  // namespace

std::vector<Mistake> score_mistakes() {
    return {
        {"softmax-wrong-axis",
         8.4,
         {at(softmax_op,
             [](const At& c) {
                 const auto rank = static_cast<int>(c.rank());
                 const bool is_over_keys = c.call.integer("dim") == -1 && rank > 1;
                 return is_over_keys ? softmax(c.operand(), rank - 2) : none;
             }),
          written_out_down_columns(true), written_out_down_columns(false)}},
        {"softmax-over-heads", 14.5, [](const At& c) { return c.is(softmax_op) && c.rank() == 4; },
         [](const At& c) { return softmax(c.operand(), 1); }},
        {"softmax-over-batch", 15.5, [](const At& c) { return c.is(softmax_op) && c.rank() > 2; },
         [](const At& c) { return softmax(c.operand(), 0); }},
        {"log-softmax", 15.2, softmax_op, by(log_softmax_op)},
        {"scores-changed-before-softmax", 15.5,
         each<Function>({[](Var x) { return -x; }, relu, [](Var x) { return exp(x); },
                         [](Var x) { return abs(x); }, [](Var x) { return square(x); }},
                        changed_scores)},
        {"softmax-formula", 15.3,
         each<Function>({[](Var x) { return x / largest(x); }, [](Var x) { return exp(x) / total(x); },
                         [](Var x) { return x / total(exp(x)); }, [](Var x) { return exp(x); },
                         [](Var x) { return exp(x) / largest(exp(x)); },
                         [](Var x) { return divided_by_sum(x - largest(x)); },
                         [](Var x) { return divided_by_sum(exp2_op(x)); },
                         [](Var x) { return divided_by_sum(square(x)); },
                         [](Var x) { return x / sqrt(total(square(x))); }},
                        softened_by)},
        {"softmax-over-all", 15.2, softmax_op,
         applied([](Var scores) { return exp(scores) / sum(exp(scores)); })},
        {"divided-by-sum", 15.2, softmax_op, applied(divided_by_sum)},
        {"sigmoid-instead-of-softmax", 15.3, softmax_op,
         applied([](Var scores) { return literal(1) / (ones_like(scores) + exp(-scores)); })},
        {"softmax-twice", 11.6, softmax_op, [](const At& c) { return c.again(c.again()); }},
        {"no-scaling", 11, scales_scores, left_out},
        {"scaled-by-d-in", 12, [](const Parameters& right) { return divided_by_root("d_in", right.d_in); }},
        {"scaled-by-d-out", 12.3,
         [](const Parameters& right) { return divided_by_root("d_out", right.d_out); }},
        {"scaled-by-d-k", 12.6, scaled([](Var scores, const Number& d_k) { return scores / d_k; })},
        {"scaled-by-half", 14,
         scaled([](Var scores, const Number& d_k) { return scores / d_k * literal(0.5); })},
        {"scaled-by-d-k-squared", 14.5,
         scaled([](Var scores, const Number& d_k) { return scores / (d_k * d_k); })},
        {"multiplied-by-root-d-k", 14,
         scaled([](Var scores, const Number& d_k) { return scores * float_root(d_k); })},
        {"scaled-by-root-tokens", 14.5, scaled([](Var scores, const Number&) {
             const bool has_name = !name_of(scores).empty();
             return scores /
                    float_root(has_name ? extent(scores, -1, "n") : literal(scores.value().size(-1)));
         })},
        {"scaled-by-other-number",
         16,
         {changed_scores([](Var x) { return x * literal(2); }),
          changed_scores([](Var x) { return x / literal(2); }),
          changed_scores([](Var x) { return x * literal(10); }),
          changed_scores([](Var x) { return x / literal(10); }), scaled([](Var scores, const Number& d_k) {
              return scores / literal(std::pow(d_k.value(), 0.25));
          })}},
        {"scaled-needlessly", 15.1,
         [](const At& c) {
             return c.is(softmax_op) && (c.origin().is(matmul_op) || c.origin().is(row_dots));
         },
         [](const At& c) {
             return c.again(c.operand() / float_root(literal(c.origin().operand().value().size(-1))));
         }},
        {"scaled-after-softmax", 14.5,
         [](const At& c) { return c.is(softmax_op) && scales_scores(c.maker()); },
         [](const At& c) { return c.maker().again(c.again(c.maker().operand())); }},
        {"masked-between-softmaxes",
         14.5,
         {at(is_masked_softmax,
             [](const At& c) { return c.again(masked_as(c.again(unmasked(c.operand())), c.operand())); }),
          // The masked weights are divided by √d_k, too.
          at([](const At& c) { return is_masked_softmax(c) && scales_scores(c.origin()); },
             [](const At& c) {
                 const Var masked = masked_as(c.again(unmasked(c.operand())), c.origin().operand());
                 return c.again(c.origin().again(masked));
             })}},
        {"queries-keys-swapped", 14.7, makes_scores,
         [](const At& c) {
             const At turned = c.maker(1);
             return matmul(turned.operand(), turned.again(c.operand()));
         }},
        {"values-for-keys", 14.9, multiplies_by_keys,
         [](const At& c) {
             const MaybeVar values = named(c.notebook, "values");
             return values && values->value().shape() == c.maker(1).operand().value().shape()
                        ? matmul(c.operand(), c.maker(1).again(*values))
                        : none;
         }},
        {"scores-of-inputs", 15.2, makes_scores,
         [](const At& c) {
             const At turned = c.maker(1);
             const MaybeVar x = input_of_projection(c.operand());
             return x && input_of_projection(turned.operand()) ? matmul(*x, turned.again(*x)) : none;
         }},
        {"features-compared", 15.3,
         multiplied_with_itself([](Var x) { return matmul(matrix_transpose(x), x); })},
        {"query-features-compared", 15.5, at(query_features_compared)},
        {"keys-reshaped", 15.5, multiplies_by_keys,
         [](const At& c) {
             std::vector<Number> size;
             for (const std::size_t length : c.operand(1).value().shape()) {
                 size.push_back(literal(length));
             }
             return matmul(c.operand(), view(contiguous(c.maker(1).operand()), size));
         }},
        {"residual-added", 16, makes_context,
         [](const At& c) {
             const Var context = c.again();
             return context.value().shape() == c.operand(1).value().shape() ? context + c.operand(1) : none;
         }},
        {"elementwise-product",
         15.3,
         {multiplied_with_itself([](Var x) { return x * x; }),
          at([](const At& c) { return c.is_called("dot") && c.rank() == 1; },
             [](const At& c) { return c.operand(0) * c.operand(1); })}},
        {"distances-for-scores",
         15.5,
         {at(compares_rows, distances), at(compares_rows, [](const At& c) { return -distances(c); }),
          at(row_dots,
             [](const At& c) { return sqrt(sum(square(c.operand() - c.operand(1)), -1, false)); })}},
        {"vector-with-itself",
         15.5,
         {multiplied_with_itself(squared_lengths),
          multiplied_with_itself([](Var x) { return transpose(squared_lengths(x)); })}},
        {"cosine-similarity", 15.3, multiplied_with_itself([](Var x) {
             const Var unit = x / sqrt(sum(square(x), -1, true));
             return matmul(unit, matrix_transpose(unit));
         })},
        {"added-up-twice", 15.1, weighted_rows, [](const At& c) { return weighted_sum(c) * literal(2); }},
        {"assigned-not-added", 15.1, weighted_rows,
         [](const At& c) {
             const Number last = literal(c.operand().value().size(-1) - 1);
             return select(c.operand(1), {last}) * select(c.operand(0), {last});
         }},
        {"begun-with-query",
         15.3,
         {at(adds_up_for_query, begun_with_query),
          at(adds_up_for_query, [](const At& c) { return weighted_sum(c) + *named(c.notebook, "query"); })}},
        {"token-left-out", 15.3, {only_tokens(0, 1), only_tokens(1, 0)}},
        {"averaged-not-added", 15.3, weighted_rows,
         [](const At& c) { return weighted_sum(c) / literal(c.operand().value().size(0)); }},
        {"scores-for-weights",
         14.8,
         {multiplied_by(scores_of), multiplied_by([](Var softened) { return MaybeVar(softened); }),
          multiplied_by([](Var softened) { return MaybeVar(unmasked(softened)); })}},
        {"inputs-for-values", 14.9, makes_context,
         [](const At& c) {
             Var values = original(c.operand(1));
             if (call_of(values).is(add_op)) {  // the projection has a bias
                 values = call_of(values).operand();
             }
             const MaybeVar inputs = input_of_projection(values);
             return inputs ? matmul(c.operand(), *inputs) : none;
         }},
        {"keys-for-values", 14.5, makes_context,
         [](const At& c) {
             const auto scores = scores_of(call_of(*softmax_of(c.operand())).operand());
             return scores && makes_scores(call_of(*scores))
                        ? matmul(c.operand(), call_of(*scores).maker(1).operand())
                        : none;
         }},
        {"weights-transposed", 14.9, [](const At& c) { return makes_context(c) && c.rank() > 1; },
         [](const At& c) { return c.again(matrix_transpose(c.operand())); }},
    };
}

}  // namespace attn
