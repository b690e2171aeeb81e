// The questions of a quiz or sheet. They are the same when a sheet is printed and when its answers are
// marked.
#pragma once

#include "commands/command.hpp"
#include "quiz/questions.hpp"
#include "stages/trace.hpp"

namespace attn {

// Moves the stages, or the number of an exercise of the book, from a command's words to its options. The
// default stage is causal. Returns the other words.
std::vector<std::string> take_stages_and_exercise(Options& options);

// Throws Error if there are no questions.
Quiz chosen_questions(const Options& options, const Trace& trace);

}  // namespace attn
