// Steps that most stages share: the inputs, the projections, and masked attention.
#pragma once

#include <string>
#include <string_view>

#include "stages/layers.hpp"

namespace attn {

// The step `inputs`: the lesson's embeddings, (n, d_in).
Var inputs_step(Notebook& notebook, const Run& run);

// Records the lines `d_in = …` and `d_out = …`, and returns the three projection layers.
Layers::Qkv query_key_value(Var x, const Run& run, Role role);

// The names of one of several runs of the same steps: within {"changed_", "", "*"}, queries with the letter Q
// are called changed_queries, with the letter Q*. A brief scope drops `attn_`: changed_scores.
struct Scope {
    std::string before = {}, after = {}, mark = {};
    bool is_brief = false;

    Name operator()(const Name& name) const;
};

inline const Name attn_scores_name{"attn_scores", "S", query_key};
inline const Name attn_weights_name{"attn_weights", "A", query_key};
inline const Name causal_weights_name{"attn_weights_causal", "Â", query_key};
inline const Name mask_name{"mask", "U", query_key};
inline const Name masked_name{"masked", "S′", query_key};
inline const Name context_vec_name{"context_vec", "Z", token_feature};

// Records the line `context_length = x.shape[0]`.
Number context_length(Var x);

// Queries, keys and values, each (…, n, d_out) and named so.
struct Projected {
    Var queries, keys, values;
};
Projected projected(Var x, const Layers::Qkv& layers, Role role, const Scope& in = {});

// Throws Error if the heads do not divide d_out, which a stage can call something else.
void require_equal_heads(const Parameters& parameters, std::string_view width = "d_out");

// (n, n): ones above the diagonal, which mark the scores to hide.
Var causal_mask(Notebook& notebook, const Number& n);

// The scores with -inf where the mask is 1.
Var hidden(Var scores, Var mask);

// (…, n, d_k), (…, m, d_k) → (…, n, m)
Var scores_of(Var queries, Var keys);

// Softmax over the keys of scores divided by √d_k.
Var scaled_softmax(Var scores, Var keys);

// Records the masked scores of a causal head as a line, then its attention weights. Returns the weights.
Var causal_head(Var masked, Var keys, const Name& weights, Role weights_role = Role::line,
                const Scope& in = {});

}  // namespace attn
