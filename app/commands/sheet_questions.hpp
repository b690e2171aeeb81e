// The questions of a quiz or sheet; printing a sheet and marking its answers use the same ones.
#pragma once

#include "commands/command.hpp"
#include "quiz/questions.hpp"
#include "stages/trace.hpp"

namespace attn {

// Moves stages and the number of an exercise of the book from a command's words to its options; the default
// is causal. Returns the other words.
std::vector<std::string> take_stages_and_exercise(Options& options);

// Throws Error if there are no questions.
Quiz chosen_questions(const Options& options, const Trace& trace);

}  // namespace attn
