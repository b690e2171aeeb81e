// Numbers that differ from right ones by rounding alone: another order of sums, or another type.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "diagnosis/pieces.hpp"
#include "printed/tensor.hpp"

namespace attn {

struct Rounding {
    std::string_view name;  // "float32", "float16", "bfloat16" or "tf32"
    double bits;            // that it takes to say
    double slack;           // how far a number may be from the right one
    Pattern pattern;        // that allows for it

    // True if the numbers of the piece are as near as this rounding leaves them.
    bool explains(const Piece& piece, const Tensor& right) const;
};

// The ways in which these numbers may have been rounded; bfloat16 before float16, which has its numbers too.
// The numbers have to be of such a type, or say that they are.
std::vector<Rounding> roundings(const PrintedTensor& printed);

// Returns the numbers, known to fewer digits, where they were rounded to those before they were printed as
// float32: `0.3400000035762787` is 0.34. Otherwise nothing.
std::optional<PrintedTensor> without_float32_tails(const PrintedTensor& printed);

}  // namespace attn
