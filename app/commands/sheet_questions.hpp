// The questions of a sheet, the same ones for printing it and for marking answers to it.
#pragma once

#include "commands/command.hpp"
#include "quiz/questions.hpp"
#include "stages/trace.hpp"

namespace attn {

// Takes stages and the number of one of the book's exercises from a command's words, causal where none is
// named; returns the other words.
std::vector<std::string> take_stages_and_exercise_of(Command& command);
// The same for a command that takes no other words. Throws Error for an unknown one.
void take_stages_and_exercise(const Program& program, Command& command);

// Throws Error where there are none.
Quiz sheet_questions(const Options& options, const Trace& trace);

}  // namespace attn
