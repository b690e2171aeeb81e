// The quiz: questions about the numbers and shapes of walked stages. Asking them, reading lines and keeping
// the score are the program's; what an answer tells is judging.hpp's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "quiz/answers.hpp"
#include "stages/trace.hpp"
#include "tensor/tensor_text.hpp"
#include "words/words.hpp"

namespace attn {

struct QuizQuestion {
    const StageTrace* right;
    const Lesson* lesson;
    std::size_t step;                // the subject
    std::string_view kind;           // the key of its words
    std::string shown;               // code and operands, all that is needed
    std::string text;                // the question
    int decimals = 0;                // of a number
    std::optional<Index> cell;       // that holds it, where it is one of the step's
    std::string_view exercise = "";  // of the book: its number
    FindAnswer answer;

    bool is_exercise() const { return !exercise.empty(); }
    Answer right_answer() const { return *answer(*right, step, false); }
    bool asks_for_shape() const { return std::holds_alternative<Shape>(right_answer()); }
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

// Leaves `count` questions, or as many as there are, in reading order: the exercises, then one of each kind
// in turn, by lot. No more than one in five asks for a shape, unless all do.
void select_questions(Quiz& quiz, std::size_t count, std::uint64_t seed);

}  // namespace attn
