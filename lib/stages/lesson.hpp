// The input of a walk: tokens and their embeddings.
#pragma once

#include <string>
#include <vector>

#include "tensor/tensor.hpp"

namespace attn {

struct Lesson {
    std::vector<std::string> tokens;  // n of them
    Tensor embeddings;                // (n, d_in)
    bool is_own = false;              // the reader's, not the documents'
};

}  // namespace attn
