// Judges typed answers: right, or wrong because of a known mistake.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mistakes/changed_lines.hpp"
#include "mistakes/mistakes.hpp"
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

// Judges answers to these questions, which must outlive it. Each stage is repeated once with each mistake,
// at the first wrong answer, and equal answers to a question are judged once.
class AnswerJudge {
public:
    // `inputs` are the inputs of the run that the questions are about.
    AnswerJudge(std::span<const QuizQuestion> questions, Inputs inputs)
        : questions_(questions), inputs_(std::move(inputs)) {}

    const Verdict& judge(const QuizQuestion& question, std::string_view typed);

private:
    // The answer that a mistake gives.
    struct WrongAnswer {
        std::string_view mistake;
        std::optional<WalkEdit> edit;  // empty if the right tensors are transposed
        Answer answer;
    };

    Verdict verdict(const QuizQuestion& question, std::string_view typed);
    std::vector<AnsweredMistake> known_mistakes(const QuizQuestion& question, const Typed& typed);
    const std::vector<WrongAnswer>& wrong_answers(const QuizQuestion& question);
    std::optional<StageTrace> walk_wrong(const QuizQuestion& question, const WalkEdit& edit) const;

    std::span<const QuizQuestion> questions_;
    Inputs inputs_;
    std::map<const QuizQuestion*, std::vector<WrongAnswer>> wrong_answers_;
    std::map<std::pair<const QuizQuestion*, std::string>, Verdict> verdicts_;
};

}  // namespace attn
