// Tensors in what people paste: PyTorch's and NumPy's printed text, nested lists, JSON, saved walkthroughs,
// tables and bare rows, with prose around them. Identifying the tensors is left to lib/diagnosis.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "printed/tensor.hpp"
#include "text/message.hpp"

namespace attn {

inline constexpr std::size_t max_printed_tensors = 4096;     // of a text
inline constexpr std::size_t max_printed_numbers = 500'000;  // .npy and the like have room for more

struct PrintedText {
    std::vector<PrintedTensor> tensors;  // in its order
    std::vector<Message> skipped{};      // unreadable parts, each with its place and the reason
    bool leaves_out = false;             // whole rows or tensors among that, and not only what was cut off
};

// All tensors of a text; there is at least one. Colours are ignored, and code behind `>>>` is passed over. In
// JSON every array of numbers is one, and of a walkthrough's steps the `data`. `origin` is the file's name
// for messages. From a damaged tensor (unmatched brackets, rows of different lengths, a truncated end, more
// than 4 axes), readable rows are taken and the rest is skipped. Throws Error with line, column and the text
// there if nothing is readable. Throws Error for a text without a tensor, or beyond the limits.
PrintedText read_tensors(std::string_view pasted, std::string_view origin);

}  // namespace attn
