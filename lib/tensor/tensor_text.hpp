// Prints a tensor as PyTorch 1.13 does, character for character. It prints only the tensor; the caller adds
// colour and the surrounding lines.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "tensor.hpp"

namespace attn {

// The options and defaults of `torch.set_printoptions`.
struct PrintOptions {
    int precision = 4;             // digits after the point, 0 or more
    std::size_t threshold = 1000;  // a tensor with more elements is summarised
    std::size_t edge_items = 3;    // numbers shown at either end of each axis of a summary, 1 or more
    std::size_t line_width = 80;   // longer rows are wrapped
};

// The suffix that PyTorch prints for autograd, such as `grad_fn=<MmBackward0>`. The default is a tensor
// without gradient.
struct Suffix {
    std::string_view grad_fn = {};  // the operation, such as "MmBackward0"; empty for none
    bool requires_grad = false;     // printed only without a grad_fn, as in PyTorch
    bool parameter = false;         // "Parameter containing:" on a line of its own
};

// Returns the text of `print(x)`, without the final newline. In a summary, the column width depends only on
// the shown numbers. PyTorch: `str(x)` under `torch.set_printoptions(options)`; the rules are those of
// torch/_tensor_str.py. Throws Error when an option is out of range.
std::string tensor_text(const Tensor& x, const Suffix& suffix = {}, const PrintOptions& options = {});

// Writes a single number in the notation that tensor_text uses for x, without leading spaces.
std::function<std::string(float)> number_writer(const Tensor& x, const PrintOptions& options = {});

}  // namespace attn
