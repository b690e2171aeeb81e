// A printed tensor: its numbers with their precision, the part of its shape that is shown, and the words
// around it.
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
    std::string place;     // the place in messages: "line 3", or the JSON pointer
    std::size_t line = 0;  // the line where the tensor begins, counted from 1

    // The sizes of the shown part, outermost first. If `...` replaces the middle of an axis, the real size is
    // larger and unknown; `gaps` gives the number of items before the `...`.
    Shape shown;
    std::array<std::optional<std::size_t>, Shape::max_rank> gaps;
    std::vector<PrintedNumber> numbers;  // the shown numbers, in reading order

    bool mended = false;  // a blank was removed from a number: `0 .0000`

    std::string grad_fn;  // the printed grad_fn, such as "MmBackward0"; may be empty
    std::string dtype;    // the printed dtype, "torch.float64" or "float32"; may be empty

    bool summarised() const;
    // Returns true if a tensor of this shape could be printed like this.
    bool fits(const Shape& shape) const;
    // Returns the index of the n-th shown number in a tensor of a fitting shape.
    Index index_in(const Shape& shape, std::size_t n) const;
};

// Sets the precision to which the numbers of one tensor are known; only all of them together show it. PyTorch
// prints all with the same number of digits. NumPy, Python and JSON omit trailing zeros, so "0.5" next to
// "0.1921" has four decimals, too. The longest number decides, unless most others are shorter and of equal
// length. If all numbers are whole ("2.", or "2.0" in Python), they are exact.
void settle_precision(std::span<PrintedNumber> numbers);

// Returns true if the shape fits and every shown number agrees.
bool agrees(const PrintedTensor& printed, const Tensor& computed);

// The extent to which numbers agree, if the shape fits.
struct Agreement {
    std::size_t numbers = 0;
    std::vector<std::size_t> disagreeing{};  // places of the disagreeing numbers among the shown ones
    // The largest difference between finite numbers.
    double largest_difference = 0.0;
    double total_difference = 0.0;

    std::size_t numbers_agreeing() const { return numbers - disagreeing.size(); }
    bool agrees() const { return disagreeing.empty(); }
};
Agreement agreement(const PrintedTensor& printed, const Tensor& computed);

}  // namespace attn
