// What helps with a question without answering it, and what a wrong shape should have been made of.
#pragma once

#include <string>

#include "quiz/questions.hpp"

namespace attn {

// A sentence in lines, or the line that computes the cell asked about, without numbers.
std::string hint(const QuizQuestion& question, const Words& phrases, const PrintOptions& options);

// Why the right shape is what it is: how many axes it has where another number was typed, and what each
// counts.
std::string shape_reason(const QuizQuestion& question, const Typed& typed, const Words& phrases,
                         const Words& words);

}  // namespace attn
