// Tensors in what people paste: PyTorch's and NumPy's printed text, nested lists, JSON, saved walkthroughs,
// with prose around them. What the tensors are is not this file's question.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.hpp"

namespace attn {

inline constexpr std::size_t max_pasted_numbers = 4'000'000;
inline constexpr std::size_t max_pasted_tensors = 4096;

struct PastedNumber {
    double value = 0.0;
    // Half a unit of the last digit it is known to: 5e-5 for "0.1921" and for NumPy's "0.5" beside "0.1921",
    // 5e-8 for "1.2340e-04". 0 for what is exact: True and False, inf, nan, whole numbers among whole ones.
    double half_unit = 0.0;
};

struct PastedTensor {
    std::string name;  // as in `name = tensor(`, `>>> print(name)`, "name": [[…]], or a heading; may be empty
    std::string place;     // for messages: "line 3", or the JSON pointer
    std::size_t line = 0;  // where it begins, 1 the first; 0 in JSON

    // The sizes of what is shown, outermost first. An axis of which `...` leaves out the middle is longer
    // than shown, by an unknown number; `gaps` says how many of its items stand before the `...`.
    Shape shown;
    std::array<std::optional<std::size_t>, Shape::max_rank> gaps;
    std::vector<PastedNumber> numbers;  // those shown, in reading order

    bool boolean = false;         // True and False, as a mask prints
    bool full_precision = false;  // some number has seven significant digits or more: printed it was not
    std::string grad_fn;          // as printed, such as "MmBackward0"; may be empty
    std::string dtype;            // as printed, such as "torch.float64" or "float32"; may be empty

    bool summarised() const;
    // Whether a tensor of this shape can have been printed so.
    bool fits(const Shape& shape) const;
    // Where the n-th number shown stands in a tensor of a shape that fits.
    Index index_in(const Shape& shape, std::size_t n) const;
};

// All tensors of a text, in its order; there is at least one. Colours are ignored. `origin` is the file's
// name for messages. Throws Error, with line, column and the text there, for a tensor that cannot be read
// (brackets that do not match, rows of different lengths, a cut-off end, more than 4 axes); and for a text
// without a tensor, or beyond the limits above.
std::vector<PastedTensor> read_tensors(std::string_view text, std::string_view origin);

}  // namespace attn
