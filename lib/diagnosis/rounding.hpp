// Numbers that differ from right ones only by rounding: sums were added in a different order, or in a
// different type.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "diagnosis/pieces.hpp"
#include "printed/tensor.hpp"

namespace attn {

struct Rounding {
    std::string_view name;  // "float32", "float16", "bfloat16", "tf32", "decimals" or "noise"
    double bits;            // description length
    double slack;           // the greatest distance from the right number
    Pattern pattern;        // the printed tensor with this tolerance

    // Returns true if this rounding is large enough to explain all differences from the right numbers.
    bool explains(const Piece& piece, const Tensor& right) const;
};

// Returns the roundings that the digits or the dtype of these numbers suggest. bfloat16 comes before float16,
// because numbers of bfloat16 can look like those of float16.
std::vector<Rounding> roundings(const PrintedTensor& printed);

// Returns the rounding of float32 sums in another order; nothing if too few digits are printed to show it.
std::optional<Rounding> rounding_of_sums(const PrintedTensor& printed);

// If the numbers were rounded before they were printed as float32, returns them with fewer digits: 0.34 for
// `0.3400000035762787`. Otherwise returns nothing.
std::optional<PrintedTensor> without_float32_tails(const PrintedTensor& printed);

}  // namespace attn
