// The variants of each mistake, by the place of attention it is made in.
#pragma once

#include <utility>
#include <vector>

#include "diagnosis/mistakes/mistakes.hpp"

namespace attn::variants {

using Variants = std::vector<Variant>;

// The only variant, an edit.
inline Variants only(Edit edit) {
    return {{std::move(edit), {}}};
}

// Found by working backwards (../slips.hpp), or by a step that shows it.
inline Variants none(const Parameters&) {
    return {};
}

// From scores to weights: scores.cpp
Variants softmax_wrong_axis(const Parameters&);
Variants softmax_twice(const Parameters&);
Variants queries_keys_swapped(const Parameters&);
Variants no_scaling(const Parameters&);
Variants scaled_by_d_in(const Parameters&);
Variants scaled_by_d_out(const Parameters&);
Variants scaled_by_d_k(const Parameters&);
Variants scaled_by_half(const Parameters&);
Variants scaled_by_d_k_squared(const Parameters&);
Variants multiplied_by_root_d_k(const Parameters&);
Variants scaled_by_root_tokens(const Parameters&);
Variants scaled_after_softmax(const Parameters&);
Variants masked_between_softmaxes(const Parameters&);
Variants softmax_over_heads(const Parameters&);
Variants scores_for_weights(const Parameters&);
Variants inputs_for_values(const Parameters&);
Variants keys_for_values(const Parameters&);
Variants weights_transposed(const Parameters&);

// Masks: masks.cpp
Variants mask_flipped(const Parameters&);
Variants mask_convention_inverted(const Parameters&);
Variants mask_excludes_diagonal(const Parameters&);
Variants mask_two_above_diagonal(const Parameters&);
Variants mask_added(const Parameters&);
Variants keepdim_missing(const Parameters&);
Variants not_masked(const Parameters&);
Variants masked_not_renormalised(const Parameters&);
Variants masked_with_zero(const Parameters&);
Variants mask_times_infinity(const Parameters&);
Variants finite_mask_leak(const Parameters&);

// Dropout: dropout.cpp
Variants dropout_not_rescaled(const Parameters&);
Variants dropout_scaled_by_p(const Parameters&);
Variants dropout_other_rng(const Parameters&);
Variants dropout_in_eval(const Parameters&);
Variants dropout_on_unmasked(const Parameters&);
Variants dropout_not_reseeded(const Parameters&);
Variants dropout_twice(const Parameters&);
Variants dropout_other_p(const Parameters&);
Variants dropout_before_softmax(const Parameters&);

// Weights and how they are drawn: weights.cpp
Variants other_seed(const Parameters&);
Variants seed_not_set_again(const Parameters&);
Variants seed_set_before_each_layer(const Parameters&);
Variants same_projection(const Parameters&);
Variants randn_instead_of_rand(const Parameters&);
Variants rand_transposed(const Parameters&);
Variants weights_not_transposed(const Parameters&);
Variants rand_instead_of_linear(const Parameters&);
Variants linear_instead_of_rand(const Parameters&);
Variants draw_order(const Parameters&);

// Heads and shapes: heads.cpp
Variants heads_view_without_transpose(const Parameters&);
Variants heads_merged_without_transpose(const Parameters&);
Variants heads_concatenated_on_tokens(const Parameters&);
Variants heads_summed(const Parameters&);
Variants same_head_twice(const Parameters&);
Variants other_heads(const Parameters&);
Variants heads_view_swapped(const Parameters&);
Variants no_out_proj(const Parameters&);
Variants out_proj_without_bias(const Parameters&);
Variants out_proj_built_first(const Parameters&);
Variants transposed(const Parameters&);

// Stages beyond the documents: onward.cpp
Variants window_off_by_one(const Parameters&);
Variants kv_heads_repeated_in_the_wrong_order(const Parameters&);
Variants cache_row_appended_twice(const Parameters&);
Variants rotary_other_pairing(const Parameters&);
Variants positions_not_advanced(const Parameters&);

// The way back: gradients.cpp
Variants softmax_gradient_without_sum(const Parameters&);
Variants gradient_not_scaled(const Parameters&);
Variants keys_gradient_not_transposed(const Parameters&);
Variants gradient_not_zeroed(const Parameters&);
Variants mean_for_sum(const Parameters&);

}  // namespace attn::variants
