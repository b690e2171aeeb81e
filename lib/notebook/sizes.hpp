// Numbers read off a tensor, as code reads them.
#pragma once

#include <string_view>

#include "notebook/notebook.hpp"

namespace attn {

// x.shape[axis]; a formula calls it `letter`.
Number extent(Var x, int axis, std::string_view letter);

// √d_k, what scores are divided by. keys.shape[-1]**0.5
Number root_dk(Var keys);

}  // namespace attn
