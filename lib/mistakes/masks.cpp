// Mistakes of the causal mask: its position, its fill value, and masks that are not used.
#include <functional>
#include <limits>

#include "mistakes/kinds.hpp"
#include "mistakes/patterns.hpp"
#include "notebook/ops.hpp"

namespace attn {

using namespace patterns;

namespace {

// Replaces the two triangles that stages use as masks.
Edit triangles(const std::function<Var(Var ones)>& upper, const std::function<Var(Var ones)>& lower) {
    return at([upper, lower](const At& c) {
        return is_upper_triangle(c) ? upper(c.operand()) : is_lower_triangle(c) ? lower(c.operand()) : none;
    });
}

// Both triangles begin at a different diagonal than 1.
Edit moved_to(int diagonal) {
    return triangles([=](Var ones) { return triu(ones, diagonal); },
                     [=](Var ones) { return tril(ones, literal(diagonal - 1)); });
}

// Returns true if a call masks the future, in PyTorch or NumPy.
bool masks(const At& c) {
    return c.is(masked_fill_op) || c.is(numpy::where_op);
}

Edit masked_with(Function mask) {
    return at(masks, [mask](const At& c) { return mask(c.operand(c.is(numpy::where_op) ? 1 : 0)); });
}

Edit filled_with(double value, std::string_view reads) {
    return at(masks, [fill = written(value, reads)](const At& c) {
        return c.is(masked_fill_op) ? masked_fill(c.operand(), c.operand(1), fill)
                                    : numpy::where(c.operand(), c.operand(1), fill);
    });
}

// Normalises the rows by something other than their own sums.
Edit normalised(Function normalise) {
    return at(
        [](const At& c) {
            return c.is_called("div") && c.call.inputs.size() == 2 && c.rank() == 2 &&
                   c.origin(1).is_called("sum") && c.origin(1).call.has("keepdim");
        },
        applied(normalise));
}

// Writes softmax out for a matrix, without keepdim in the row sums.
Edit softmax_without_keepdim(Function shift) {
    return at([](const At& c) { return c.is(softmax_op) && c.rank() == 2; },
              [shift](const At& c) {
                  const Var terms = exp(shift(c.operand()));
                  return terms / sum(terms, -1, false);
              });
}

// Masks the weights of a softmax instead of its scores.
Var masked_weights(const At& c) {
    const Var full = c.again(unmasked(c.operand()));
    return unmasked(full) * visible(full);
}

bool multiplies_by_mask(const At& c) {
    return c.is(mul_op) && is_lower_triangle(c.origin(1));
}

}  // namespace

std::vector<Mistake> mask_mistakes() {
    return {
        {"mask-flipped",
         12.8,
         {triangles([](Var ones) { return tril(ones); }, [](Var ones) { return triu(ones, 0); }),
          triangles([](Var ones) { return tril(ones, literal(-1)); },
                    [](Var ones) { return triu(ones, 1); })}},
        {"mask-excludes-diagonal", 13, {moved_to(0), moved_to(-1)}},
        {"mask-two-above-diagonal", 15, moved_to(2)},
        // Inverts the mask, so that 1 means visible instead of hidden.
        {"mask-convention-inverted", 15.3, masked_fill_op,
         [](const At& c) {
             return c.again({c.operand(), logical_not(c.operand(1))});
         }},
        {"not-masked", 13.2, [](const At& c) { return masks(c) || multiplies_by_mask(c); },
         [](const At& c) { return c.operand(c.is(numpy::where_op) ? 1 : 0); }},
        {"masked-not-renormalised", 13.3, is_masked_softmax, masked_weights},
        {"masked-with-zero",
         13.5,
         {masked_with([](Var scores) { return scores * visible(scores); }),
          // The weights are masked a second time, after softmax.
          at([](const At& c) { return multiplies_by_mask(c) && softmax_of(c.operand()); },
             [](const At& c) {
                 const At weights = call_of(*softmax_of(c.operand()));
                 return c.again(weights.again(weights.operand() * c.operand(1)));
             })}},
        {"softmax-of-masked-weights",
         14.5,
         {normalised([](Var x) { return softmax(x, -1); }),
          at(is_masked_softmax, [](const At& c) { return c.again(masked_weights(c)); })}},
        {"mask-added", 14.5, masked_with([](Var scores) { return scores + triu(ones_for(scores), 1); })},
        {"mask-times-infinity", 13.6, masked_with([](Var scores) {
             const MaybeVar mask = named(*scores.notebook, "mask");
             const bool fits = mask && mask->value().size(-1) == scores.value().size(-1);
             return scores + (fits ? *mask : triu(ones_for(scores), 1)) * minus_infinity();
         })},
        {"finite-mask-leak",
         13.7,
         {filled_with(-1e2, "-1e2"), filled_with(-1e9, "-1e9"), filled_with(-1e4, "-1e4"),
          filled_with(-1e5, "-1e5"), filled_with(-1e10, "-1e10"), filled_with(-1e20, "-1e20"),
          filled_with(-1e3, "-1e3"), filled_with(-1e1, "-1e1"), filled_with(-1.0, "-1"),
          filled_with(-2e1, "-20"), filled_with(-5e1, "-50"), filled_with(-1e6, "-1e6"),
          filled_with(-3.4028234663852886e38, "torch.finfo(torch.float32).min")}},
        {"mask-positive-infinity", 14.5, filled_with(std::numeric_limits<double>::infinity(), "torch.inf")},
        // Without keepdim, broadcasting lays the row sums along the columns, so each cell is divided by the
        // wrong sum.
        {"keepdim-missing",
         13,
         {normalised([](Var x) { return x / sum(x, -1, false); }),
          softmax_without_keepdim([](Var scores) { return scores - amax(scores, -1, true); }),
          softmax_without_keepdim([](Var scores) { return scores; })}},
        {"summed-over-columns", 13.5,
         normalised([](Var x) { return x / transpose(sum(transpose(x), -1, true)); })},
    };
}

}  // namespace attn
