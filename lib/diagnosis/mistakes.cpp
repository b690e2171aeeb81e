// The table. What each does stands in the file of its kind.
#include "diagnosis/mistakes.hpp"

#include <algorithm>

#include "diagnosis/kinds.hpp"

namespace attn {

namespace {

constexpr Mistake table[] = {
    {"softmax-wrong-axis", kinds::softmax_wrong_axis},
    {"no-scaling", kinds::no_scaling},
    {"scaled-by-d-in", kinds::scaled_by_d_in},
    {"scaled-by-d-out", kinds::scaled_by_d_out},
    {"scaled-by-d-k", kinds::scaled_by_d_k},
    {"mask-flipped", kinds::mask_flipped},
    {"mask-excludes-diagonal", kinds::mask_excludes_diagonal},
    {"not-masked", kinds::not_masked},
    {"masked-not-renormalised", kinds::masked_not_renormalised},
    {"masked-with-zero", kinds::masked_with_zero},
    {"finite-mask-leak", kinds::finite_mask_leak},
    {"dropout-not-rescaled", kinds::dropout_not_rescaled},
    {"dropout-scaled-by-p", kinds::dropout_scaled_by_p},
    {"dropout-other-rng", kinds::dropout_other_rng},
    {"dropout-in-eval", kinds::dropout_in_eval},
    {"dropout-on-unmasked", kinds::dropout_on_unmasked},
    {"other-seed", kinds::other_seed},
    {"weights-not-transposed", kinds::weights_not_transposed},
    {"rand-instead-of-linear", kinds::rand_instead_of_linear},
    {"linear-instead-of-rand", kinds::linear_instead_of_rand},
    {"draw-order", kinds::draw_order},
    {"scores-for-weights", kinds::scores_for_weights},
    {"inputs-for-values", kinds::inputs_for_values},
    {"heads-view-without-transpose", kinds::heads_view_without_transpose},
    {"heads-concatenated-on-tokens", kinds::heads_concatenated_on_tokens},
    {"no-out-proj", kinds::no_out_proj},
    {"transposed", kinds::transposed},
};

}  // namespace

std::span<const Mistake> mistakes() {
    return table;
}

const Mistake* find_mistake(std::string_view id) {
    const auto found = std::ranges::find(table, id, &Mistake::id);
    return found == std::end(table) ? nullptr : found;
}

}  // namespace attn
