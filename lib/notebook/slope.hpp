// A gradient held against what it says: the slope of the loss, as central differences in double have it.
#pragma once

#include <cstdint>
#include <vector>

#include "notebook/notebook.hpp"

namespace attn {

// The loss once more, as a function of the leaves it was made of, in double. def loss_of(inputs=…,
// W_query=…): …
Var loss_function(Var loss);

// Of each leaf, 1 where moving its first number up and down moves the loss as its gradient says, else 0. Of
// the slopes themselves, rounding would decide the last digits.
std::vector<Var> slopes_agree(Var loss_function, Var loss, const std::vector<Var>& leaves);

// How many arithmetic operations the loss takes once more.
std::uint64_t cost_of(Var loss);

}  // namespace attn
