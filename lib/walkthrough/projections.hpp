// What most stages begin with: queries, keys and values through linear layers of their own.
#pragma once

#include "walkthrough/stage.hpp"

namespace attn {

// The weight, and with --qkv-bias the bias, of one torch.nn.Linear.
struct Projection {
    Var weight;  // (d_out, d_in)
    Var bias;    // (d_out,), when has_bias
    bool has_bias = false;
};

// Draws a layer and shows its parameters as steps W_<what> and, with a bias, b_<what>.
Projection linear_steps(std::string_view what, Var generator, const Number& d_in, const Number& d_out,
                        bool bias);

// (…, n, d_in) → (…, n, d_out). x @ W.T + b
Var project(Var x, const Projection& projection);

}  // namespace attn
