// The quiz: questions about the numbers and shapes of stages. The program asks them and keeps the score;
// judging.hpp judges answers.
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
    std::size_t step;       // the node that the question is about
    std::string_view kind;  // the kind of question, which is the key of its text
    std::string shown;      // all code and operands that the question needs
    std::string text;       // the question
    FindAnswer answer;
    int decimals = 0;  // decimals of the answer, if it is a number
    // The cell with the answer; empty if the answer is not a number of the step.
    std::optional<Index> cell = {};
    std::string_view exercise = {};  // number of the book's exercise

    bool is_exercise() const { return !exercise.empty(); }
    Answer right_answer() const { return *answer(right->node(step).value); }
    bool asks_for_shape() const { return std::holds_alternative<Shape>(right_answer()); }
};

struct Quiz {
    std::vector<QuizQuestion> questions;  // the questions in reading order
    // The lessons of the exercises. In a deque they do not move, so questions can point to them.
    std::deque<Lesson> lessons;
    std::deque<StageTrace> walks;
};

// Returns all questions about the shown steps of a trace. The trace must outlive them; the seed chooses the
// cells. The book's exercises come after the stages they belong to.
Quiz make_quiz(const Trace& trace, const Words& phrases, const PrintOptions& options, std::uint64_t seed);

// Keeps at most `count` questions, in reading order. Exercises are kept first, then random questions of each
// kind in turn. At most one in five asks for a shape, unless all questions do.
void select_questions(Quiz& quiz, std::size_t count, std::uint64_t seed);

}  // namespace attn
