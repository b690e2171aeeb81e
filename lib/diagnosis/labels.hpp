// Finds the step that a label in a paste names, and whether the label also suits another step.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diagnosis/pieces.hpp"

namespace attn {

// Returns `W_query` for `self.W_query.weight` and `keys_grad` for `keys.grad`, and an empty text for a word
// that names no step of attention.
std::string labelled_step(std::string_view name);

// Returns the name that the stages give a step that a reader calls so: `keys` for `K`; other names unchanged.
std::string_view step_named_by(std::string_view step);

// If a label names a single token, returns its row of the step, counted from 1: 2 for `query_2` in queries.
std::optional<std::size_t> labelled_row(std::string_view label, std::string_view step);

// Returns true if a reader may use this label for a piece of this step. The book gives one name to several
// steps: `attn_weights` is the name before and after mask and dropout; `queries` can be of all heads or of
// one.
bool may_be_called(std::string_view label, std::string_view step, const Piece& piece);

}  // namespace attn
