// The arrays of numbers in JSON, named by their keys.
#pragma once

#include <string_view>
#include <vector>

#include "printed/tensor.hpp"

namespace attn {

// The arrays of one or several JSON values, of which the last may be truncated; empty for other text, or if
// an array is ragged. From a walkthrough's steps, only `data` is read. An object of objects of numbers is a
// table by columns, as pandas writes it, a list of such objects one by rows.
std::vector<PrintedTensor> read_json_arrays(std::string_view text);

}  // namespace attn
