// How questions are put together, for the stages' own and for the book's exercises.
#pragma once

#include <string>

#include "quiz/quiz.hpp"

namespace attn {

using Ask = std::function<std::optional<Answer>(const StageTrace&, std::size_t position, bool transposed)>;

// The position of a step, when the walk got that far.
std::optional<std::size_t> find_step(const StageTrace& trace, std::string_view name);

// The number in one cell of a step, its shape; nothing in a walk that has none.
Ask ask_cell(const Index& cell);
// The same of whole numbers, which are counts.
Ask ask_whole(const Index& cell);
Ask ask_shape();

// Adds the exercises that belong to a stage.
void add_exercises(Quiz& quiz, const StageTrace& trace, const Lesson& lesson, const Phrases& phrases,
                   const PrintOptions& options, std::uint32_t lot);

}  // namespace attn
