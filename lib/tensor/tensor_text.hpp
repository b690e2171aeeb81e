// A tensor as PyTorch 1.13 prints it, character for character. Nothing here knows steps or stages; colour and
// the lines around a tensor are left to whoever prints it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "tensor.hpp"

namespace attn {

// The defaults of `torch.set_printoptions`.
struct PrintOptions {
    int precision = 4;             // digits after the point, 0 or more
    std::size_t threshold = 1000;  // a tensor of more elements is summarised
    std::size_t edge_items = 3;    // numbers that a summary shows at either end of each axis, 1 or more
    std::size_t line_width = 80;   // columns; a matrix row wraps within them
};

// Autograd's facts about a tensor, which PyTorch prints behind the numbers. The default is a plain tensor.
struct Suffix {
    std::string_view grad_fn = {};  // the operation that made it, such as "MmBackward0"; empty for none
    bool requires_grad = false;     // shown when there is no grad_fn, as PyTorch does
    bool parameter = false;         // "Parameter containing:" on a line of its own
};

// The text of `print(x)`, without its final newline. Summaries take their column width from the elements
// shown. PyTorch: `str(x)` under `torch.set_printoptions(options)`; the rules are those of
// torch/_tensor_str.py. Throws Error when an option is out of its range.
std::string tensor_text(const Tensor& x, const Suffix& suffix = {}, const PrintOptions& options = {});

// Writes single numbers of x, or numbers to be read beside them, as tensor_text does, without the spaces
// before them.
std::function<std::string(float)> number_writer(const Tensor& x, const PrintOptions& options = {});

}  // namespace attn
