// The input of a run: tokens and their embeddings.
#pragma once

#include <string>
#include <vector>

#include "tensor/tensor.hpp"

namespace attn {

struct Lesson {
    std::vector<std::string> tokens;  // n
    Tensor embeddings;                // (n, d_in)
    std::vector<std::size_t> words =
        {};               // rows of torch.nn.Embedding, one per token; empty: given embeddings
    bool is_own = false;  // true if the lesson is the reader's own
};

}  // namespace attn
