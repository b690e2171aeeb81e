// Exercises 3.1 to 3.3 of chapter 3 of "Build a Large Language Model (From Scratch)".
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "quiz/questions.hpp"

namespace attn {

// Adds the exercises that belong to a stage; runs the stage to find their answers.
void add_exercises(Quiz& quiz, const StageTrace& trace, const Lesson& lesson, const Words& phrases,
                   const PrintOptions& options, std::uint32_t seed);

}  // namespace attn
