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

// Returns 3.1, 3.2, ….
std::vector<std::string_view> exercise_numbers();

// The stage that an exercise belongs to; empty if there is no such exercise.
std::string_view stage_of_exercise(std::string_view number);

}  // namespace attn
