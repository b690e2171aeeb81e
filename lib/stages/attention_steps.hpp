// The first steps of most stages, and the pieces of masked attention that they share.
#pragma once

#include "stages/layers.hpp"

namespace attn {

// The step `inputs`: the lesson's embeddings, (n, d_in).
Var inputs_step(Notebook& notebook, const Run& run);

// The lines `d_in` and `d_out` of what is to be projected, and the three layers that project it.
Layers::Qkv query_key_value(Var x, const Run& run, Role role);

// (…, n, d_out) each, under the names queries, keys and values.
struct Projected {
    Var queries, keys, values;
};
Projected projected(Var x, const Layers::Qkv& layers, Role role);

// (n, n): ones above the diagonal, which mark what is hidden.
Var causal_mask(Notebook& notebook, const Number& n);

// The scores with -inf where the mask is 1.
Var hidden(Var scores, Var mask);

// Softmax over the keys of scores divided by √d_k.
Var scaled_softmax(Var scores, Var keys);

}  // namespace attn
