// Finds the tensors in a text: which brackets are one and which are prose or code, and what they are called.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "printed/bracket_parser.hpp"

namespace attn {

struct FoundTensor {
    WrittenList list;
    std::string name;
    std::string grad_fn;
    std::string dtype;
    std::size_t line = 1;
};

// The tensors of a text without escape sequences, in its order; code behind `>>>` is passed over. Throws
// Error for one that cannot be read; when there is none, for what most looked like one, if anything did.
std::vector<FoundTensor> scan_tensors(std::string_view text, std::string_view origin);

}  // namespace attn
