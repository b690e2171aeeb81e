// What the names of the field mean, whichever stage uses them: the letter a formula writes and what the axes
// count.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attn {

// MathML of a name: `attn_scores` is <mi>S</mi>, `W_query` is W with a subscript q; an unknown name is
// itself.
std::string symbol(std::string_view name);

// What the axes of a tensor of that name and rank count, outermost first: attn_scores of rank 3 is
// {"batch", "query", "key"}.
std::vector<std::string> axes(std::string_view name, std::size_t rank);

}  // namespace attn
