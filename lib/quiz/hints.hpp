// A hint that does not give the answer, and the origin of the right shape.
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
