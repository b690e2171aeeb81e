// Dropout as stages show it.
#pragma once

#include <optional>

#include "stages/stage.hpp"

namespace attn {

// Dropout seeded once and then drawing on, use after use.
inline const Name keep{"keep", "B", query_key};

class DropoutLayer {
public:
    DropoutLayer(Notebook& notebook, const Parameters& parameters);

    // Only Intel's builds can draw the mkl mask, so there the mask is written out as a line of its own, under
    // `mask_name`.
    Var operator()(Var x, const Name& mask_name);

private:
    const Parameters* parameters_;
    Generator mkl_;
    std::optional<Var> generator_;  // none where the masks are written out
};

// Dropout after seeding anew, as the documents do before each use.
Var seeded_dropout(Var x, const Parameters& parameters, const Name& mask_name = keep);

// The weights a stage goes on with: as they are, or with --dropout above 0 the step attn_weights_dropped.
Var dropped_weights(Var attn_weights, const Parameters& parameters);

}  // namespace attn
