// Linear layers of stages, with drawn weights or the reader's.
#pragma once

#include <optional>
#include <string>

#include "stages/stage.hpp"

namespace attn {

// The parameters of one torch.nn.Linear.
struct Layer {
    Var weight;               // (d_out, d_in)
    std::optional<Var> bias;  // (d_out,)
};

// The numbers d_in and d_out of the code.
struct Widths {
    Number in, out;
};
// Records the lines `d_in = x.shape[…]` and `d_out = …`.
Widths widths(Var x, const Run& run);

class Layers {
public:
    // Seeds the generator, `generator = torch.manual_seed(seed)`, unless the run has the reader's weights.
    Layers(Notebook& notebook, const Run& run);

    // Returns the layer whose weight is called `name`, such as W_query, and whose bias is called b_query.
    // Weight and bias become steps or lines. `key` is the layer's name in a state_dict. Throws Error if the
    // reader's weights lack the layer or give it the wrong shape.
    Layer linear(const std::string& name, const std::string& key, const Number& d_in, const Number& d_out,
                 bool bias, Role role);

    // Returns true if the reader's weights have a bias for this layer. If the weights are drawn, returns
    // `otherwise`.
    bool has_bias(const std::string& key, bool otherwise) const;

    // The three layers of most stages: W_query, W_key, W_value, drawn in this order. For one of several
    // heads, `suffix` ends its names (W_query_1), and `prefix` begins them in a state_dict (heads.0.W_query).
    struct Qkv {
        Layer query, key, value;
    };
    Qkv query_key_value(const Widths& widths, Role role, const std::string& suffix = "",
                        const std::string& prefix = "");

    // The generator for further draws; empty if the run has the reader's weights.
    const std::optional<Var>& generator() const { return generator_; }

private:
    Notebook* notebook_;
    const Run* run_;
    std::optional<Var> generator_;
};

// Returns the name of a weight or bias and its letter: W_query_1 is W with the index q1.
Name parameter_name(const std::string& name);

// (…, n, d_in) → (…, n, d_out). x @ W.T + b
Var project(Var x, const Layer& layer);

// The lesson's embeddings, (n, d_in): given numbers, or rows of torch.nn.Embedding.
Var embeddings(Notebook& notebook, const Lesson& lesson);

}  // namespace attn
