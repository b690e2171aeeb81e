// The questions of a quiz, or of a sheet: the same ones for printing it and for marking answers to it.
#pragma once

#include "commands/command.hpp"
#include "quiz/questions.hpp"
#include "stages/trace.hpp"

namespace attn {

// Takes stages and the number of one of the book's exercises from a command's words, causal where none is
// named; returns the other words.
std::vector<std::string> take_stages_and_exercise(Options& options);

// Throws Error where there are none.
Quiz chosen_questions(const Options& options, const Trace& trace);

}  // namespace attn
