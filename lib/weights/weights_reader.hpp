// Reads a state_dict, written as JSON or as a file of tensors.
#pragma once

#include <string>
#include <string_view>

#include "files/source.hpp"
#include "weights/weights.hpp"

namespace attn {

// {"W_query.weight": [[…], …], "W_query.bias": […], …}, as
// json.dump({k: v.tolist() for k, v in model.state_dict().items()}, file) writes it. Throws Error for
// anything that is not names with nested lists of finite numbers; which names a stage needs is the stage's to
// say.
Weights read_weights(std::string_view text, std::string_view origin);

// The weights in a file, or from standard input, of whatever kind its bytes are (tensor_file_reader.hpp). Of
// a file of tensors only what is taken is read.
Weights load_weights(const std::string& path);

}  // namespace attn
