// How precisely the numbers of a pasted tensor are known, judged from all of them together.
#pragma once

#include <vector>

#include "printed/tensor_reader.hpp"
#include "printed/written_number.hpp"

namespace attn {

// Sets the tensor's numbers, and what they say of it as a whole.
void set_numbers(PastedTensor& tensor, const std::vector<WrittenNumber>& numbers);

}  // namespace attn
