// Finds arrays of numbers in JSON. Their keys become their names.
#pragma once

#include <string_view>
#include <vector>

#include "printed/tensor.hpp"

namespace attn {

// Returns the arrays of a JSON object or of an array of objects. Returns nothing for other text, or if an
// array is ragged. From a walkthrough's steps, only `data` is read. Throws DuplicateKey for an object that
// has a key twice; `origin` is the file's name for this message.
std::vector<PrintedTensor> read_json_arrays(std::string_view text, std::string_view origin);

}  // namespace attn
