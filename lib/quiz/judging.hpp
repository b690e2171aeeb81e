// Judges a typed answer: right, or wrong because of a known mistake.
#pragma once

#include <string_view>
#include <vector>

#include "diagnosis/changed_lines.hpp"
#include "quiz/questions.hpp"

namespace attn {

// A known mistake that gives the typed answer.
struct AnsweredMistake {
    std::string_view id;
    ChangedLines lines;  // the lines that differ; empty if all are the same
};

struct Verdict {
    std::optional<Typed> answer;  // the typed answer; empty if it cannot be read
    bool right = false;
    bool too_short = false;  // the answer is right, but has too few digits
    // The mistakes that give the typed number or shape, the likeliest first.
    std::vector<AnsweredMistake> mistakes;
};

// `inputs` are the inputs of the run that the questions are about.
Verdict judge(const QuizQuestion& question, std::string_view typed, const Inputs& inputs);

}  // namespace attn
