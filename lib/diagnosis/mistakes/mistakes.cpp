// The table. What each does stands in the file of its kind.
#include "diagnosis/mistakes/mistakes.hpp"

#include <algorithm>
#include <cmath>

#include "diagnosis/mistakes/variants.hpp"

namespace attn {

namespace {

constexpr Mistake table[] = {
    {"softmax-wrong-axis", variants::softmax_wrong_axis},
    {"no-scaling", variants::no_scaling},
    {"softmax-twice", variants::softmax_twice},
    {"scaled-by-d-in", variants::scaled_by_d_in},
    {"scaled-by-d-out", variants::scaled_by_d_out},
    {"scaled-by-d-k", variants::scaled_by_d_k},
    {"mask-flipped", variants::mask_flipped},
    {"mask-excludes-diagonal", variants::mask_excludes_diagonal},
    {"not-masked", variants::not_masked},
    {"masked-not-renormalised", variants::masked_not_renormalised},
    {"masked-with-zero", variants::masked_with_zero},
    {"mask-times-infinity", variants::mask_times_infinity},
    {"finite-mask-leak", variants::finite_mask_leak},
    {"dropout-not-rescaled", variants::dropout_not_rescaled},
    {"dropout-scaled-by-p", variants::dropout_scaled_by_p},
    {"dropout-other-rng", variants::dropout_other_rng},
    {"dropout-in-eval", variants::dropout_in_eval},
    {"dropout-on-unmasked", variants::dropout_on_unmasked},
    {"dropout-not-reseeded", variants::dropout_not_reseeded},
    {"dropout-other-p", variants::dropout_other_p},
    {"dropout-before-softmax", variants::dropout_before_softmax},
    {"other-seed", variants::other_seed},
    {"weights-not-transposed", variants::weights_not_transposed},
    {"rand-instead-of-linear", variants::rand_instead_of_linear},
    {"linear-instead-of-rand", variants::linear_instead_of_rand},
    {"queries-keys-swapped", variants::queries_keys_swapped},
    {"draw-order", variants::draw_order},
    {"scores-for-weights", variants::scores_for_weights},
    {"inputs-for-values", variants::inputs_for_values},
    {"weights-transposed", variants::weights_transposed},
    {"heads-view-without-transpose", variants::heads_view_without_transpose},
    {"heads-merged-without-transpose", variants::heads_merged_without_transpose},
    {"heads-concatenated-on-tokens", variants::heads_concatenated_on_tokens},
    {"no-out-proj", variants::no_out_proj},
    {"transposed", variants::transposed},
    {"window-off-by-one", variants::window_off_by_one},
    {"kv-heads-repeated-in-the-wrong-order", variants::kv_heads_repeated_in_the_wrong_order},
    {"cache-row-appended-twice", variants::cache_row_appended_twice},
    {"mask-convention-inverted", variants::mask_convention_inverted},
    {"rotary-other-pairing", variants::rotary_other_pairing},
    {"positions-not-advanced", variants::positions_not_advanced},
    {"gradient-not-zeroed", variants::gradient_not_zeroed},
    {"softmax-gradient-without-sum", variants::softmax_gradient_without_sum},
    {"gradient-not-scaled", variants::gradient_not_scaled},
    {"keys-gradient-not-transposed", variants::keys_gradient_not_transposed},
    {"mistyped", variants::none},
    {"other-input", variants::none},
    {"other-step", variants::none},
};

}  // namespace

std::span<const Mistake> mistakes() {
    return table;
}

double bits_of(const Mistake& mistake) {
    return 10.0 + std::log2(static_cast<double>(&mistake - std::begin(table)) + 1.0);
}

const Mistake* find_mistake(std::string_view id) {
    const auto found = std::ranges::find(table, id, &Mistake::id);
    return found == std::end(table) ? nullptr : found;
}

}  // namespace attn
