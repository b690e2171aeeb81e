// The quiz: questions about the numbers and shapes of walked stages, and what an answer tells. Asking,
// reading lines and keeping the score are the program's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnosis/changed_lines.hpp"
#include "quiz/quiz_answer.hpp"
#include "stages/trace.hpp"
#include "tensor/tensor_text.hpp"
#include "words/narration.hpp"

namespace attn {

struct QuizQuestion {
    const StageTrace* right;
    const Lesson* lesson;
    std::size_t step;   // its position in the stage: what is asked about
    std::string shown;  // code and operands, all that is needed
    std::string text;   // what is asked
    int decimals = 0;   // of a number
    bool exercise = false;
    // The answer in a walk of the stage, right or wrong, in which the step has this position; with
    // `transposed` in one whose tensors are. Nothing when there is no such cell.
    std::function<std::optional<Answer>(const StageTrace&, std::size_t position, bool transposed)> answer;

    Answer right_answer() const { return *answer(*right, step, false); }
};

struct Quiz {
    std::vector<QuizQuestion> questions;  // in reading order
    // What the exercises walk besides the trace; a deque, for questions point into it.
    std::deque<Lesson> lessons;
    std::deque<StageTrace> walks;
};

// All questions there are about the shown steps of a trace, which must outlive them; the seed chooses the
// cells. The book's exercises stand behind the stages they belong to.
Quiz make_quiz(const Trace& trace, const Phrases& phrases, const PrintOptions& options, std::uint64_t seed);

// Leaves `count` questions: the exercises first, the rest by lot, all in reading order.
void select_questions(Quiz& quiz, std::size_t count, std::uint64_t seed);

// A known mistake that gives the answer typed.
struct AnsweredMistake {
    std::string_view id;
    ChangedLines lines;  // empty for one that no line shows
};

struct Verdict {
    bool readable = false;
    bool right = false;
    bool too_short = false;                 // right as far as it goes
    std::vector<AnsweredMistake> mistakes;  // of a wrong number or shape, the likeliest first
};

// `brought` is what the questions' stages were walked with.
Verdict judge(const QuizQuestion& question, std::string_view typed, const Brought& brought);

}  // namespace attn
