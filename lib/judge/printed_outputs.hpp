// Reads what an output of a document prints: tensors, and single numbers between words.
#pragma once

#include <string>
#include <vector>

#include "printed/reader.hpp"

namespace attn {

// The tensors of an output, and all numbers outside of them, such as tensor(0.5) and those of Python, in
// their order. `origin` names the document in messages.
std::vector<PrintedTensor> tensors_of_output(const std::string& output, const std::string& origin);

}  // namespace attn
