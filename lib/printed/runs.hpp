// Joins tensors that were printed piece by piece: row by row, or number by number.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "printed/list.hpp"

namespace attn {

// Joins neighbouring tensors of the same shape. Lists are joined if only commas and closing brackets are
// between them. Vectors on successive lines are joined if their labels count (`row 0: […]`), or if there are
// at least four of them. Three or more single numbers are joined, too.
std::vector<PrintedTensor> join_runs(std::span<PlacedTensor> placed, std::string_view text,
                                     std::span<const Line> lines, std::span<const Token> tokens);

}  // namespace attn
