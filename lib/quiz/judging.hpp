// Judges a typed answer: right, or the mistake that gives it.
#pragma once

#include <string_view>
#include <vector>

#include "diagnosis/changed_lines.hpp"
#include "quiz/questions.hpp"

namespace attn {

// A known mistake that gives the answer typed.
struct AnsweredMistake {
    std::string_view id;
    ChangedLines lines;  // empty for one that no line shows
};

struct Verdict {
    std::optional<Typed> answer;  // nothing where it cannot be read
    bool right = false;
    bool too_short = false;                 // right as far as it goes
    std::vector<AnsweredMistake> mistakes;  // of a wrong number or shape, the likeliest first
};

// `inputs` is what the questions' stages were walked with.
Verdict judge(const QuizQuestion& question, std::string_view typed, const Inputs& inputs);

}  // namespace attn
