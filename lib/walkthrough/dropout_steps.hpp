// Dropout as stages show it.
#pragma once

#include "walkthrough/stage.hpp"

namespace attn {

// Dropout after seeding anew, as the documents do before each use. Only Intel's builds can draw the mkl mask,
// so there the mask is written out as a line of its own, under `mask_name`.
Var seeded_dropout(Var x, const Parameters& parameters, std::string_view mask_name = "keep");

// The weights a stage goes on with: as they are, or with --dropout above 0 the step attn_weights_dropped.
Var dropped_weights(Var attn_weights, const Parameters& parameters);

}  // namespace attn
