// Dropout in stages.
#pragma once

#include <optional>

#include "stages/stage.hpp"

namespace attn {

// The names of a mask that keeps numbers, and of weights after dropout.
inline const Name keep_name{"keep", "B", query_key};
inline const Name dropped_weights_name{"attn_weights_dropped", "D", query_key};

// Dropout whose generator is seeded once and shared by all calls.
class DropoutLayer {
public:
    DropoutLayer(Notebook& notebook, const Parameters& parameters);

    // A mask of mkl becomes a line named `mask_name` with the numbers of the mask, because only builds for
    // Intel can draw it.
    Var operator()(Var x, const Name& mask_name);

private:
    const Parameters* parameters_;
    Generator mkl_;
    std::optional<Var> generator_;  // the generator; empty if the numbers of masks are written out
};

// Seeds the generator before each use, as the documents do.
Var seeded_dropout(Var x, const Parameters& parameters, const Name& mask_name = keep_name);

// Returns the weights that the stage uses next: those of the step attn_weights_dropped if there is dropout,
// otherwise `attn_weights`.
Var dropped_weights(Var attn_weights, const Parameters& parameters);

}  // namespace attn
