// A printed tensor: its numbers and their precision, the shown part of its shape, and its name and type as
// far as they are printed.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "printed/number.hpp"
#include "tensor/tensor.hpp"

namespace attn {

struct PrintedTensor {
    // Taken from `name = tensor(`, `print(name)`, "name": [[…]], or a heading; may be empty.
    std::string name;
    std::string place;     // the tensor's place as messages name it: "line 3", or a JSON pointer
    std::size_t line = 0;  // the line where the tensor begins, counted from 1

    // The sizes of the shown part. If `...` replaces the middle of an axis, the real size is unknown, and
    // `gaps` gives the number of items before the `...`.
    Shape shown;
    std::array<std::optional<std::size_t>, Shape::max_rank> gaps;
    std::vector<PrintedNumber> numbers;  // the shown numbers, in reading order

    bool mended = false;  // a blank was removed from a number: `0 .0000`

    std::string grad_fn;  // the printed grad_fn, such as "MmBackward0"; may be empty
    std::string dtype;    // the printed dtype, "torch.float64" or "float32"; may be empty

    bool summarised() const;
    // Returns true if this printout can be of a tensor of this shape.
    bool fits(const Shape& shape) const;
};

// Sets the precision of a tensor's numbers, which can be seen only from all of them together. PyTorch prints
// equally many digits of each. NumPy, Python and JSON omit trailing zeros, so "0.5" next to "0.1921" has four
// decimals, too. The longest number decides, unless most others are shorter and equally long. If all numbers
// are whole, such as "2." or Python's "2.0", they are exact.
void settle_precision(std::span<PrintedNumber> numbers);

// Which numbers of a table agree with a tensor of the same shape.
struct Agreement {
    std::size_t numbers = 0;
    std::vector<std::size_t> disagreeing{};  // indices of the disagreeing numbers
    double largest_difference = 0.0;         // the largest difference between finite numbers

    std::size_t numbers_agreeing() const { return numbers - disagreeing.size(); }
    bool agrees() const { return disagreeing.empty(); }
};
Agreement agreement(const PrintedTensor& printed, const Tensor& computed);

}  // namespace attn
