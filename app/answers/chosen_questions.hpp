// The questions of a quiz or sheet. They are the same when a sheet is printed and when its answers are
// marked.
#pragma once

#include "options.hpp"
#include "quiz/questions.hpp"
#include "stages/trace.hpp"

namespace attn {

// Throws Error if there are no questions.
Quiz chosen_questions(const QuestionOptions& options, const Trace& trace);

}  // namespace attn
