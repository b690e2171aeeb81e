// Numbers that differ from right ones only by rounding: their sums were added in a different order, or in a
// different type.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "diagnosis/pieces.hpp"
#include "printed/tensor.hpp"

namespace attn {

struct Rounding {
    std::string_view name;  // "float32", "float16", "bfloat16", "tf32" or "decimals"
    double bits;            // description length
    double slack;           // the greatest distance from the right number
    Pattern pattern;        // the printed tensor with this tolerance

    // Returns true if the numbers of the piece are as near as this rounding leaves them.
    bool explains(const Piece& piece, const Tensor& right) const;
};

// Returns the ways in which these numbers may have been rounded. Their digits or their dtype must suggest the
// type; bfloat16 comes before float16, because float16 can hold its numbers, too.
std::vector<Rounding> roundings(const PrintedTensor& printed);

// Returns the rounding of float32 sums that are added in another order, if so many digits are printed that
// they show it.
std::optional<Rounding> rounding_of_sums(const PrintedTensor& printed);

// If the numbers were rounded before they were printed as float32, returns them with fewer digits: 0.34 for
// `0.3400000035762787`. Otherwise returns nothing.
std::optional<PrintedTensor> without_float32_tails(const PrintedTensor& printed);

}  // namespace attn
