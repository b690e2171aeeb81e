// The ways of making each mistake, by the place of attention it is made in.
#pragma once

#include <vector>

#include "diagnosis/mistakes.hpp"

namespace attn::kinds {

using Ways = std::vector<Way>;

// From scores to weights: kinds_scores.cpp
Ways softmax_wrong_axis(const Parameters&);
Ways no_scaling(const Parameters&);
Ways scaled_by_d_in(const Parameters&);
Ways scaled_by_d_out(const Parameters&);
Ways scaled_by_d_k(const Parameters&);
Ways scores_for_weights(const Parameters&);
Ways inputs_for_values(const Parameters&);

// Masks: kinds_mask.cpp
Ways mask_flipped(const Parameters&);
Ways mask_excludes_diagonal(const Parameters&);
Ways not_masked(const Parameters&);
Ways masked_not_renormalised(const Parameters&);
Ways masked_with_zero(const Parameters&);
Ways finite_mask_leak(const Parameters&);

// Dropout: kinds_dropout.cpp
Ways dropout_not_rescaled(const Parameters&);
Ways dropout_scaled_by_p(const Parameters&);
Ways dropout_other_rng(const Parameters&);
Ways dropout_in_eval(const Parameters&);
Ways dropout_on_unmasked(const Parameters&);

// Weights and how they are drawn: kinds_weights.cpp
Ways other_seed(const Parameters&);
Ways weights_not_transposed(const Parameters&);
Ways rand_instead_of_linear(const Parameters&);
Ways linear_instead_of_rand(const Parameters&);
Ways draw_order(const Parameters&);

// Heads and shapes: kinds_heads.cpp
Ways heads_view_without_transpose(const Parameters&);
Ways heads_concatenated_on_tokens(const Parameters&);
Ways no_out_proj(const Parameters&);
Ways transposed(const Parameters&);

}  // namespace attn::kinds
