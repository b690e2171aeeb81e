// Reads a state_dict written as JSON.
#pragma once

#include <string_view>

#include "walkthrough/weights.hpp"

namespace attn {

// {"W_query.weight": [[…], …], "W_query.bias": […], …}, as
// json.dump({k: v.tolist() for k, v in model.state_dict().items()}, file) writes it. Throws Error for
// anything that is not names with nested lists of finite numbers; which names a stage needs is the stage's to
// say.
Weights read_weights(std::string_view text, std::string_view origin);

}  // namespace attn
