// The table. Each is implemented in the file of its kind.
#include "diagnosis/mistakes/mistakes.hpp"

#include <algorithm>

#include "diagnosis/mistakes/variants.hpp"

namespace attn {

namespace {

constexpr Mistake table[] = {
    {"softmax-wrong-axis", 10, variants::softmax_wrong_axis},
    {"no-scaling", 11, variants::no_scaling},
    {"softmax-twice", 11.6, variants::softmax_twice},
    {"scaled-after-softmax", 14.5, variants::scaled_after_softmax},
    {"masked-between-softmaxes", 14.5, variants::masked_between_softmaxes},
    {"softmax-over-heads", 14.5, variants::softmax_over_heads},
    {"scaled-by-d-in", 12, variants::scaled_by_d_in},
    {"scaled-by-d-out", 12.3, variants::scaled_by_d_out},
    {"scaled-by-d-k", 12.6, variants::scaled_by_d_k},
    {"scaled-by-half", 14, variants::scaled_by_half},
    {"scaled-by-d-k-squared", 14.5, variants::scaled_by_d_k_squared},
    {"multiplied-by-root-d-k", 14, variants::multiplied_by_root_d_k},
    {"scaled-by-root-tokens", 14.5, variants::scaled_by_root_tokens},
    {"mask-flipped", 12.8, variants::mask_flipped},
    {"mask-excludes-diagonal", 13, variants::mask_excludes_diagonal},
    {"mask-two-above-diagonal", 15, variants::mask_two_above_diagonal},
    {"not-masked", 13.2, variants::not_masked},
    {"masked-not-renormalised", 13.3, variants::masked_not_renormalised},
    {"masked-with-zero", 13.5, variants::masked_with_zero},
    {"mask-added", 14.5, variants::mask_added},
    {"keepdim-missing", 13, variants::keepdim_missing},
    {"mask-times-infinity", 13.6, variants::mask_times_infinity},
    {"finite-mask-leak", 13.7, variants::finite_mask_leak},
    {"dropout-not-rescaled", 13.8, variants::dropout_not_rescaled},
    {"dropout-scaled-by-p", 13.9, variants::dropout_scaled_by_p},
    {"dropout-other-rng", 14, variants::dropout_other_rng},
    {"dropout-in-eval", 14.1, variants::dropout_in_eval},
    {"dropout-on-unmasked", 14.2, variants::dropout_on_unmasked},
    {"dropout-not-reseeded", 14.2, variants::dropout_not_reseeded},
    {"dropout-twice", 15.5, variants::dropout_twice},
    {"dropout-other-p", 14.3, variants::dropout_other_p},
    {"dropout-before-softmax", 14.4, variants::dropout_before_softmax},
    {"other-seed", 14.5, variants::other_seed},
    {"seed-not-set-again", 12.5, variants::seed_not_set_again},
    {"seed-set-before-each-layer", 14, variants::seed_set_before_each_layer},
    {"same-projection", 13.5, variants::same_projection},
    {"weights-not-transposed", 14.5, variants::weights_not_transposed},
    {"rand-instead-of-linear", 14.6, variants::rand_instead_of_linear},
    {"linear-instead-of-rand", 14.6, variants::linear_instead_of_rand},
    {"randn-instead-of-rand", 14.5, variants::randn_instead_of_rand},
    {"rand-transposed", 15, variants::rand_transposed},
    {"queries-keys-swapped", 14.7, variants::queries_keys_swapped},
    {"draw-order", 14.8, variants::draw_order},
    {"scores-for-weights", 14.8, variants::scores_for_weights},
    {"inputs-for-values", 14.9, variants::inputs_for_values},
    {"keys-for-values", 14.5, variants::keys_for_values},
    {"weights-transposed", 14.9, variants::weights_transposed},
    {"heads-view-without-transpose", 15, variants::heads_view_without_transpose},
    {"heads-merged-without-transpose", 15, variants::heads_merged_without_transpose},
    {"heads-concatenated-on-tokens", 15, variants::heads_concatenated_on_tokens},
    {"heads-summed", 15, variants::heads_summed},
    {"same-head-twice", 15, variants::same_head_twice},
    {"other-heads", 15, variants::other_heads},
    {"heads-view-swapped", 15, variants::heads_view_swapped},
    {"out-proj-without-bias", 15, variants::out_proj_without_bias},
    {"out-proj-built-first", 15, variants::out_proj_built_first},
    {"no-out-proj", 15.1, variants::no_out_proj},
    {"transposed", 15.1, variants::transposed},
    {"window-off-by-one", 15.2, variants::window_off_by_one},
    {"kv-heads-repeated-in-the-wrong-order", 15.2, variants::kv_heads_repeated_in_the_wrong_order},
    {"cache-row-appended-twice", 15.2, variants::cache_row_appended_twice},
    {"mask-convention-inverted", 15.3, variants::mask_convention_inverted},
    {"rotary-other-pairing", 15.3, variants::rotary_other_pairing},
    {"positions-not-advanced", 15.4, variants::positions_not_advanced},
    {"gradient-not-zeroed", 15.4, variants::gradient_not_zeroed},
    {"mean-for-sum", 14, variants::mean_for_sum},
    {"softmax-gradient-without-sum", 15.4, variants::softmax_gradient_without_sum},
    {"gradient-not-scaled", 15.5, variants::gradient_not_scaled},
    {"keys-gradient-not-transposed", 15.5, variants::keys_gradient_not_transposed},
    {"mistyped", 15.5, variants::none},
    {"other-input", 15.6, variants::none},
    {"other-step", 15.6, variants::none},
    {"mask-top-left", 15.6, variants::none},
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
