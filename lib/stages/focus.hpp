// Finds the token that the steps about a single query follow.
#pragma once

#include <optional>
#include <string>

#include "stages/lesson.hpp"

namespace attn {

// Returns the index of a token that is given as an index from 0, or as the token itself. Digits count as an
// index if there is such an index. Default: `journey`, else the second token, else the first. Throws Error if
// no token matches, or if several do; the message then lists their indices.
std::size_t find_focus(const Lesson& lesson, const std::optional<std::string>& wanted);

// Returns the first tokens in quotes, to name them in a message.
std::string named_tokens(const Lesson& lesson);

}  // namespace attn
