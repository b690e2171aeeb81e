// Rotary positions as stages use them: the angles of each position, and what turns heads by them.
#pragma once

#include "stages/stage.hpp"

namespace attn {

// (n, width/2) each.
struct Turns {
    Var cos, sin;
};

// Throws Error when heads that are together so wide have no pairs.
void require_pairs(std::size_t d_out, std::size_t heads);

// The rates at which pairs turn, from the first, one radian per position, down to nearly 1 / base.
Var rotary_theta(Notebook& notebook, const Parameters& parameters, const Number& width);

// The angles of positions (n,) at these rates.
Turns turns_of(Var positions, Var theta);

// (…, n, width) → (…, n, width), paired as said.
Var turned(Var x, const Turns& by, Pairing pairing);

}  // namespace attn
