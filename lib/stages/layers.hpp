// Linear layers as stages use them: drawn after a seed, or the reader's own weights.
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

class Layers {
public:
    // Seeds the generator, `generator = torch.manual_seed(seed)`, unless the run brings its own weights.
    Layers(Notebook& notebook, const Run& run);

    // The layer whose weight is called `name`, such as W_query, and whose bias b_query. Each becomes a step,
    // or just a line. `key` is the layer's name in a state_dict. Throws Error when the run's own weights lack
    // it or do not fit.
    Layer linear(const std::string& name, const std::string& key, const Number& d_in, const Number& d_out,
                 bool bias, Role role);

    // True if the run's own weights have a bias for that layer; what the stage has otherwise when it draws
    // them.
    bool has_bias(const std::string& key, bool otherwise) const;

    // The three of most stages: W_query, W_key, W_value, in the order in which they are drawn. `suffix` tells
    // heads apart (W_query_1), `prefix` does in a state_dict (heads.0.W_query).
    struct Qkv {
        Layer query, key, value;
    };
    Qkv query_key_value(const Number& d_in, const Number& d_out, Role role, const std::string& suffix = "",
                        const std::string& prefix = "");

    // The generator of further draws; none when the run has its own weights.
    const std::optional<Var>& generator() const { return generator_; }

private:
    Notebook* notebook_;
    const Run* run_;
    std::optional<Var> generator_;
};

// The name of a weight or bias: W_query_1 is W with the index q1.
Name parameter_name(const std::string& name);

// (…, n, d_in) → (…, n, d_out). x @ W.T + b
Var project(Var x, const Layer& layer);

}  // namespace attn
