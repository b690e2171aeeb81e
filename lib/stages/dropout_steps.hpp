// Dropout in stages.
#pragma once

#include <optional>

#include "stages/stage.hpp"

namespace attn {

// Dropout whose generator is seeded once and shared by all calls.
inline const Name keep{"keep", "B", query_key};

class DropoutLayer {
public:
    DropoutLayer(Notebook& notebook, const Parameters& parameters);

    // Writes the mask as a line named `mask_name` if it is an mkl mask, because only Intel's builds can draw
    // it.
    Var operator()(Var x, const Name& mask_name);

private:
    const Parameters* parameters_;
    Generator mkl_;
    std::optional<Var> generator_;  // the generator; empty if masks are written out as numbers
};

// Seeds the generator before each use, as the documents do.
Var seeded_dropout(Var x, const Parameters& parameters, const Name& mask_name = keep);

// Returns the weights with which a stage continues: if --dropout is above 0, those of the step
// attn_weights_dropped.
Var dropped_weights(Var attn_weights, const Parameters& parameters);

}  // namespace attn
