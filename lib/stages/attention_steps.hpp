// The first steps of most stages, and the parts of masked attention that they share.
#pragma once

#include "stages/layers.hpp"

namespace attn {

// The step `inputs`: the lesson's embeddings, (n, d_in).
Var inputs_step(Notebook& notebook, const Run& run);

// Records the lines `d_in` and `d_out` of the width to project, and returns the three projection layers.
Layers::Qkv query_key_value(Var x, const Run& run, Role role);

// (…, n, d_out) each, named queries, keys and values.
struct Projected {
    Var queries, keys, values;
};
Projected projected(Var x, const Layers::Qkv& layers, Role role);

// (n, n): ones above the diagonal, where scores are to be hidden.
Var causal_mask(Notebook& notebook, const Number& n);

// The scores with -inf where the mask is 1.
Var hidden(Var scores, Var mask);

// Softmax over the keys of scores divided by √d_k.
Var scaled_softmax(Var scores, Var keys);

}  // namespace attn
