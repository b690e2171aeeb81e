// Hints that do not give the answer, and the reason for a shape.
#pragma once

#include <string>

#include "quiz/questions.hpp"

namespace attn {

// Returns a hint: a wrapped sentence, or the line that computes the question's cell, without numbers.
std::string hint(const QuizQuestion& question, const Words& phrases);

// Explains the right shape: what each axis counts, and the number of axes if the typed number is wrong.
std::string shape_reason(const QuizQuestion& question, const Typed& typed, const Words& phrases,
                         const Words& words);

}  // namespace attn
