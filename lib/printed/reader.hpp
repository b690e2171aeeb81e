// Finds tensors in pasted text: PyTorch's and NumPy's printed text, nested lists, JSON, saved walkthroughs,
// tables and bare rows, with prose around them. lib/diagnosis identifies the tensors.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "printed/tensor.hpp"
#include "text/message.hpp"

namespace attn {

inline constexpr std::size_t max_printed_tensors = 4096;  // the most tensors in one text
// The most numbers in one text; .npy files may have more.
inline constexpr std::size_t max_printed_numbers = 500'000;

// Throws OverLimit for more tensors.
void require_few_tensors(std::size_t count, std::string_view origin);

struct PrintedText {
    std::vector<PrintedTensor> tensors;  // the tensors in the order of the text
    std::vector<Message> skipped{};      // parts that could not be read, with place and reason
    bool leaves_out = false;             // rows or tensors were skipped, more than just a truncated end
};

// Returns all tensors of a text, at least one. Colours are ignored, and code after `>>>` is skipped. In JSON,
// every array of numbers is a tensor; in saved walkthroughs, only the `data` of steps. `origin` is the file's
// name for messages. If a tensor is damaged (unmatched brackets, rows of different lengths, a truncated end,
// more than 4 axes), its readable rows are returned. Throws Error for a text without a readable tensor; the
// message gives line, column and the text there. Throws OverLimit beyond the limits. Without `joins_rows`,
// tensors that are printed row by row are not joined.
PrintedText read_tensors(std::string_view pasted, std::string_view origin, bool joins_rows = true);

}  // namespace attn
