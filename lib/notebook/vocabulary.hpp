// What the names of the field mean, whichever stage uses them: the letter a formula writes and what the axes
// count. A name may contain a number: attn_scores_2 of rank 1 are the scores of the second token, of rank 2
// all scores after the second step.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "notebook/formula.hpp"

namespace attn {

// The name with its first number replaced by #: attn_weights_2_tmp is attn_weights_#_tmp.
std::string without_number(std::string_view name);

// What a formula calls a tensor of that name and rank, 0 for a number: `attn_scores` is S, `W_query` is W
// with a subscript q; an unknown name is itself.
Formula symbol(std::string_view name, std::size_t rank);

// What the axes of a tensor of that name and rank count, outermost first: attn_scores of rank 3 is
// {"batch", "query", "key"}.
std::vector<std::string> axes(std::string_view name, std::size_t rank);

}  // namespace attn
