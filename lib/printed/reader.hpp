// Finds tensors in pasted text: PyTorch's and NumPy's printed text, nested lists, JSON, saved walkthroughs,
// tables and bare rows, with prose around them. lib/diagnosis identifies the tensors.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "printed/tensor.hpp"
#include "text/message.hpp"

namespace attn {

inline constexpr std::size_t max_printed_tensors = 4096;  // limit for the tensors of one text
// Limit for the numbers of one text; for more, use .npy.
inline constexpr std::size_t max_printed_numbers = 500'000;

struct PrintedText {
    std::vector<PrintedTensor> tensors;  // the tensors in the order of the text
    std::vector<Message> skipped{};      // unreadable parts, each with its place and the reason
    bool leaves_out = false;             // whole rows or tensors were skipped, not only a truncated end
};

// Returns all tensors of a text, at least one. Colours are ignored, and code after `>>>` is skipped. In JSON,
// every array of numbers is a tensor; of a walkthrough's steps, only `data` is. `origin` is the file's name
// for messages. From a damaged tensor (unmatched brackets, rows of different lengths, a truncated end, more
// than 4 axes), readable rows are taken and the rest is skipped. Throws Error with line, column and the text
// there if nothing is readable. Throws Error also for a text without a tensor, or beyond the limits.
PrintedText read_tensors(std::string_view pasted, std::string_view origin);

}  // namespace attn
