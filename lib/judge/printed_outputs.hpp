// Reads what an output of a document prints: tensors, and single numbers between words.
#pragma once

#include <vector>

#include "documents/document.hpp"
#include "printed/reader.hpp"

namespace attn {

// The tensors of an output, saved or printed, and all printed numbers outside of them, such as tensor(0.5)
// and those of Python, in their order. Rows without brackets count as tensors only in a document without
// code.
std::vector<PrintedTensor> tensors_of_output(const Item& output, const Document& document);

}  // namespace attn
