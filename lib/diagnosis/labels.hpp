// The step that a label in a paste names, and whether another step may be called so too.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diagnosis/pieces.hpp"

namespace attn {

// Returns `W_query` for `self.W_query.weight` and `keys_grad` for `keys.grad`, and nothing for a word that
// names no step of attention.
std::string labelled_step(std::string_view name);

// Returns the row of the step that a label of one token names: 2 for `query_2` in queries.
std::optional<std::size_t> labelled_row(std::string_view label, std::string_view step);

// True if a reader may use this label for a piece of this step. The book gives one name to several steps:
// `attn_weights` are the weights before and after the mask and dropout, `queries` those of all heads or of
// each.
bool may_be_called(std::string_view label, std::string_view step, const Piece& piece);

}  // namespace attn
