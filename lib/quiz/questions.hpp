// The quiz: questions about the numbers and shapes of walked stages. Asking them, reading lines and keeping
// the score are the program's; what an answer tells is judging.hpp's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "quiz/answers.hpp"
#include "stages/trace.hpp"
#include "tensor/tensor_text.hpp"
#include "words/words.hpp"

namespace attn {

struct QuizQuestion {
    const StageTrace* right;
    const Lesson* lesson;
    std::size_t step;   // what is asked about
    std::string shown;  // code and operands, all that is needed
    std::string text;   // what is asked
    int decimals = 0;   // of a number
    bool exercise = false;
    FindAnswer answer;

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
Quiz make_quiz(const Trace& trace, const Words& phrases, const PrintOptions& options, std::uint64_t seed);

// Leaves `count` questions: the exercises first, the rest by lot, all in reading order.
void select_questions(Quiz& quiz, std::size_t count, std::uint64_t seed);

}  // namespace attn
