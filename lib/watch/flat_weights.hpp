// Gives weights with an axis of heads, as einsum takes them, the two axes of nn.Linear's.
#pragma once

#include "watch/recording.hpp"

namespace attn {

// Joins the axes of heads and width of each weight with three axes. The shape becomes (in, out), and the
// order of the numbers with it, as the first call that multiplies the weight names its axes.
void flatten_weights(Recording& recording);

}  // namespace attn
