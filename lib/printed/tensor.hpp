// A tensor as it was printed: its numbers as far as they are known, its shape as far as it is shown, and what
// was written around it.
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
    std::string name;  // as in `name = tensor(`, `>>> print(name)`, "name": [[…]], or a heading; may be empty
    std::string place;     // for messages: "line 3", or the JSON pointer
    std::size_t line = 0;  // where it begins, 1 the first

    // The sizes of what is shown, outermost first. An axis of which `...` leaves out the middle is longer
    // than shown, by an unknown number; `gaps` says how many of its items stand before the `...`.
    Shape shown;
    std::array<std::optional<std::size_t>, Shape::max_rank> gaps;
    std::vector<PrintedNumber> numbers;  // those shown, in reading order

    bool mended = false;  // a blank stood within one of them: `0 .0000`

    std::string grad_fn;  // as printed, such as "MmBackward0"; may be empty
    std::string dtype;    // as printed, such as "torch.float64" or "float32"; may be empty

    bool summarised() const;
    // True if a tensor of this shape can have been printed so.
    bool fits(const Shape& shape) const;
    // Where the n-th number shown stands in a tensor of a shape that fits.
    Index index_in(const Shape& shape, std::size_t n) const;
};

// Settles how precisely the numbers of one tensor are known, which only all of them together tell. PyTorch
// prints all with the same digits. NumPy, Python and JSON omit trailing zeros, so "0.5" beside "0.1921" has
// four places too: the longest number decides, unless most others are shorter and alike. Whole numbers among
// whole ones, "2." and Python's "2.0" alike, are exact.
void settle_precision(std::span<PrintedNumber> numbers);

// True if a tensor can have been printed so: its shape fits, and every number shown agrees.
bool agrees(const PrintedTensor& printed, const Tensor& computed);

// How far the numbers do, where the shape fits.
struct Agreement {
    std::size_t numbers = 0;
    std::vector<std::size_t> disagreeing{};  // by their place among those shown
    // Of the differences where both numbers are finite.
    double largest_difference = 0.0;
    double total_difference = 0.0;

    std::size_t numbers_agreeing() const { return numbers - disagreeing.size(); }
    bool agrees() const { return disagreeing.empty(); }
};
Agreement agreement(const PrintedTensor& printed, const Tensor& computed);

}  // namespace attn
