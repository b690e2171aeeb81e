// Mistakes of dropout: a wrong scale of the kept numbers, a different mask, or dropout in the wrong place.
#include <utility>

#include "mistakes/kinds.hpp"
#include "mistakes/patterns.hpp"
#include "notebook/ops.hpp"
#include "stages/dropout_steps.hpp"
#include "tensor/random.hpp"

namespace attn {

using namespace patterns;

namespace {

// Returns true for a product with a given mask, divided by 1 - p. Walks write this if the mask cannot be
// drawn.
bool rescales_mask(const At& c) {
    return c.is(div_scalar_op) && c.maker().call.operation->marks.zero == CellKind::dropped;
}

// Returns true for a call that divides by 1 - p.
bool rescales(const At& c) {
    return c.is(dropout_op) || rescales_mask(c);
}

// Returns true for dropout of the weights, in either form.
bool drops_weights(const At& c) {
    return (c.is(dropout_op) || (c.is(mul_op) && rescales_mask(c.maker(1)))) && softmax_of(c.operand());
}

bool multiplies_softmax(const At& c) {
    return c.is(matmul_op) && c.origin().is(softmax_op);
}

// Draws the dropout mask from the generator that drew the layers, as a module does.
MaybeVar dropped_again(Var x, const Number& p) {
    const MaybeVar generator = last(*x.notebook, manual_seed_op);
    return generator ? dropout(*generator, x, p) : none;
}

// Leaves out every call of manual_seed after this operation, so that the earlier generator continues.
MaybeVar earlier_generator(const At& c, const Operation& operation) {
    return c.is(manual_seed_op) && last(c.notebook, operation) ? last(c.notebook, manual_seed_op) : none;
}
Edit not_seeded_after(const Operation& operation) {
    return at([&operation](const At& c) { return earlier_generator(c, operation); });
}

// Also leaves out the dropout example on a matrix of ones, which would advance the generator.
MaybeVar not_seeded_after_layers(const At& c) {
    // In a backward pass, the mask of the weights is drawn for ones_like(weights).
    const bool is_example =
        c.is_called("keep_mask") && !softmax_of(c.operand(1)) && !c.maker(1).is(ones_like);
    return is_example ? c.operand(1) : earlier_generator(c, manual_seed_op);
}

std::vector<WalkEdit> not_seeded_again(const Parameters& right) {
    if (right.dropout == 0.0) {
        return {};
    }
    if (right.dropout_rng == DropoutRng::mt19937) {
        return {{not_seeded_after(dropout_op)},
                {not_seeded_after(manual_seed_op)},
                {at(not_seeded_after_layers)}};
    }
    return {{at(mkl_keep_mask_op, [](const At& c) {
        const MaybeVar before = last(c.notebook, mkl_keep_mask_op);
        return before ? c.with("drawn", literal(call_of(*before).call.value("drawn") + 1.0)) : none;
    })}};
}

bool has_dropout(const Parameters& right) {
    return right.dropout > 0.0;
}

// Applies dropout to another tensor than the weights.
WalkEdit dropped_at(Site site, Verb drop) {
    return {at([site = std::move(site), drop = std::move(drop)](const At& c) {
        return drops_weights(c) ? c.operand() : site.holds(c) ? drop(c) : none;
    })};
}

std::vector<WalkEdit> dropped_before_softmax(const Parameters& right) {
    if (right.dropout == 0.0) {
        return {};
    }
    const Verb drop_operand = [right](const At& c) { return c.again(seeded_dropout(c.operand(), right)); };
    return {dropped_at(makes_scores, [right](const At& c) { return seeded_dropout(c.again(), right); }),
            dropped_at(masked_fill_op, drop_operand), dropped_at(is_masked_softmax, drop_operand)};
}

// Applies dropout to the values or the context vectors.
std::vector<WalkEdit> dropped_elsewhere(const Parameters& right) {
    if (right.dropout == 0.0) {
        return {};
    }
    const auto kept = [](const At& c) {
        const At dropped = c.origin();
        return drops_weights(dropped) ? dropped.operand() : c.operand();
    };
    return {{at(makes_context,
                [=](const At& c) { return seeded_dropout(matmul(kept(c), c.operand(1)), right); })},
            {at(makes_context,
                [=](const At& c) { return matmul(kept(c), seeded_dropout(c.operand(1), right)); })}};
}

// A mask that the reader draws with rand. rand takes one number of the generator for each weight, dropout
// two.
const Operation rand_mask_op{
    .name = "rand_mask",
    .evaluate =
        [](const Arguments& x) {
            Tensor mask = rand(*x.generator, x[1].shape());
            for (float& number : mask.values()) {
                const bool is_above = number > static_cast<float>(x.call.value("limit"));
                number = is_above == x.call.has("above") ? 1.0F : 0.0F;
            }
            return mask;
        },
    .torch = "(torch.rand({1}.shape) {above?>}{above!<} {limit})",
    .draws = true,
};

Edit masked_by_rand(bool above) {
    return at(dropout_op, [above](const At& c) {
        const double p = c.call.value("p");
        const Var generator = c.maker(2).again();
        std::vector<Attribute> attributes{{"limit", literal(above ? p : 1.0 - p)}};
        if (above) {
            attributes.push_back({"above", true});
        }
        const Var mask = rand_mask_op({generator, c.operand()}, std::move(attributes));
        return c.operand() * mask / (literal(1) - literal(p));
    });
}

// Applies dropout as a module in training mode does, in its first or its second call.
Edit dropped_by_module(double p, bool is_second_call) {
    return at(multiplies_softmax, [p = literal(p), draws = is_second_call](const At& c) mutable {
        if (std::exchange(draws, false)) {
            dropped_again(c.operand(), p);
        }
        const MaybeVar weights = dropped_again(c.operand(), p);
        return weights ? c.again(*weights) : none;
    });
}

std::vector<WalkEdit> dropped_in_eval(const Parameters& right) {
    Parameters parameters = right;
    if (parameters.dropout == 0.0) {
        parameters.dropout = 0.5;  // the documents' value
    }
    return {{at(multiplies_softmax,
                [parameters](const At& c) { return c.again(seeded_dropout(c.operand(), parameters)); })},
            {dropped_by_module(parameters.dropout, false)},
            {dropped_by_module(parameters.dropout, true)},
            {dropped_by_module(0.1, false)}};
}

}  // namespace

std::vector<Mistake> dropout_mistakes() {
    return {
        {"dropout-not-rescaled", 13.8, rescales,
         [](const At& c) { return c.is(dropout_op) ? c.operand(0) * c.operand(1) : c.operand(); }},
        {"dropout-scaled-by-p", 13.9,
         [](const Parameters& right) {
             const auto scale = [p = literal(right.dropout)](const At& c) {
                 // A second mistake may have changed the p of the call.
                 return c.is(dropout_op) ? c.operand(0) * c.operand(1) / literal(c.call.value("p"))
                                         : c.operand() / p;
             };
             return std::vector<WalkEdit>{{at(rescales, scale)}};
         }},
        {"dropout-other-rng", 14,
         set<DropoutRng>(&Parameters::dropout_rng, {DropoutRng::mt19937, DropoutRng::mkl}, has_dropout),
         About::setting},
        {"dropout-in-eval", 14.1, dropped_in_eval},
        {"dropout-on-unmasked", 14.2, [](const At& c) { return c.is(dropout_op) || c.is(mul_op); },
         [](const At& c) {
             const MaybeVar softmax = softmax_of(c.operand());
             return softmax && is_masked_softmax(call_of(*softmax)) ? c.again(unmasked(*softmax)) : none;
         }},
        {"dropout-not-reseeded", 14.2, not_seeded_again},
        {"dropout-twice", 15.5, [](const At& c) { return c.is(dropout_op) && softmax_of(c.operand()); },
         [](const At& c) { return dropped_again(c.again(), c.call.number("p")); }},
        // Its cost is higher than that of two explanations with the same numbers: --dropout 0, and a step
        // before dropout.
        {"dropout-left-out", 19, drops_weights, left_out},
        {"dropout-other-p", 14.3,
         set<double>(&Parameters::dropout, {0.1, 0.5, 0.2, 0.3, 0.4, 0.25, 0.05, 0.01, 0.6, 0.7, 0.8, 0.9},
                     has_dropout),
         About::setting},
        {"dropout-before-softmax", 14.4, dropped_before_softmax},
        {"dropout-elsewhere", 15.3, dropped_elsewhere},
        {"dropout-drawn-by-rand", 15.3, {masked_by_rand(true), masked_by_rand(false)}},
        {"dropout-renormalised", 15.3, drops_weights,
         [](const At& c) {
             const Var dropped = c.again();
             return dropped / sum(dropped, -1, true);
         }},
    };
}

}  // namespace attn
