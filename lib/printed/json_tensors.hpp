// Tensors in JSON: every nested array of numbers, and of a saved walkthrough the steps' `data`.
#pragma once

#include <string_view>
#include <vector>

#include "printed/tensor_reader.hpp"

namespace attn {

// Whether a text is meant as JSON with objects in it; nested lists alone read alike in Python and JSON.
bool looks_like_json(std::string_view text);

// In the text's order. Throws Error for text that is no JSON, and for arrays of numbers that are no tensor.
std::vector<PastedTensor> read_json_tensors(std::string_view text, std::string_view origin);

}  // namespace attn
