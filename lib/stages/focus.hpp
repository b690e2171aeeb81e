// Which token's row the row-level steps show.
#pragma once

#include <optional>
#include <string>

#include "stages/lesson.hpp"

namespace attn {

// The index of the wanted token, given as an index from 0 or as the token itself. Digits are an index if it
// exists, so that every token can be reached. By default `journey`, else the second token, else the first.
// Throws Error when there is no such token, and when there are several, with their indices.
std::size_t find_focus(const Lesson& lesson, const std::optional<std::string>& wanted);

}  // namespace attn
