// Ways to read the pasted numbers: as exact digits, or up to rounding. Rounding means that sums were added in
// a different order, or in a different type.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "diagnosis/pieces.hpp"
#include "printed/tensor.hpp"

namespace attn {

struct Reading {
    std::string_view name;  // "" for exact digits; "float32", "float16", "bfloat16", "decimals" or "noise"
    double bits;            // description length
    double slack;           // the greatest distance from the right number
    double surprise;        // the bits that an explanation can save
    Pattern pattern;        // the printed tensor with this tolerance

    // Returns true if this rounding is large enough to explain all differences from the right numbers.
    bool explains(const Piece& piece, const Tensor& right) const;
    // Returns a piece that differs only by this rounding.
    std::optional<Piece> find_in(const Tensor& right) const;
};

// Returns the exact reading, the one of sums in another order, and those that the digits or the dtype
// suggest. bfloat16 comes before float16, because numbers of bfloat16 can look like those of float16.
std::vector<Reading> readings(const PrintedTensor& printed);

// If the numbers were rounded before they were printed as float32, returns them with fewer digits: 0.34 for
// `0.3400000035762787`. Otherwise returns nothing.
std::optional<PrintedTensor> without_float32_tails(const PrintedTensor& printed);

}  // namespace attn
