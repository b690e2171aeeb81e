// Rotary positions in stages: the angles of each position, and the rotation of heads by them.
#pragma once

#include "stages/attention_steps.hpp"

namespace attn {

// Cosines and sines of the angles, (n, width/2) each.
struct Turns {
    Var cos, sin;
};

// Throws Error if the width of a head is odd.
void require_pairs(std::size_t d_out, std::size_t heads);

// The frequency of each pair in radians per position, from 1 down to nearly 1 / base.
Var rotary_theta(Notebook& notebook, const Parameters& parameters, const Number& width);

// Cosines and sines of the angles: positions (n,) times frequencies. All three are steps or lines.
Turns turns_of(Var positions, Var theta, Role role, const Scope& in = {});

// Rotates the pairs of each row: (…, n, width) → (…, n, width).
Var turned(Var x, const Turns& by, Pairing pairing);

}  // namespace attn
