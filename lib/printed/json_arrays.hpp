// Finds arrays of numbers in JSON. Their keys become their names.
#pragma once

#include <string_view>
#include <vector>

#include "printed/tensor.hpp"

namespace attn {

// Returns the arrays of one or more JSON values, of which the last may be truncated. Returns nothing for
// other text, or if an array is ragged. In a walkthrough saved by this program, only the `data` of steps is
// read. A table that pandas wrote, by columns or by rows, becomes one array.
std::vector<PrintedTensor> read_json_arrays(std::string_view text);

}  // namespace attn
