// Prints a tensor as PyTorch does, character for character. Callers add colour and other lines.
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
    std::size_t edge_items = 3;    // a summary shows this many numbers at both ends of each axis, 1 or more
    std::size_t line_width = 80;   // rows longer than this are wrapped
    bool sci_mode = true;          // false: numbers never have exponents
};

// The suffix that PyTorch prints for autograd, such as `grad_fn=<MmBackward0>`. By default there is none.
struct Suffix {
    std::string_view grad_fn = {};  // the name of the operation, such as "MmBackward0"; may be empty
    bool requires_grad = false;     // printed if there is no grad_fn, as in PyTorch
    bool parameter = false;         // "Parameter containing:" on a line of its own
};

// Returns the text of `print(x)`, without the final newline. The column width depends only on the numbers
// that are shown. PyTorch: `str(x)` under `torch.set_printoptions(options)`; the rules are those of
// torch/_tensor_str.py. Throws Error when an option is out of range.
std::string tensor_text(const Tensor& x, const Suffix& suffix = {}, const PrintOptions& options = {});

// Writes a single number in the notation that tensor_text uses for x, without leading spaces.
std::function<std::string(float)> number_writer(const Tensor& x, const PrintOptions& options = {});

}  // namespace attn
