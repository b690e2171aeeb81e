#include "answers/chosen_questions.hpp"

#include "commands/command.hpp"
#include "parameters.hpp"
#include "tensor/error.hpp"

namespace attn {

Quiz chosen_questions(const QuestionOptions& options, const Trace& trace) {
    constexpr std::size_t usual_count = 10;
    constexpr std::size_t most_tokens = 256;  // mistakes are tried on all numbers
    if (const std::size_t tokens = trace.lesson.tokens.size(); tokens > most_tokens) {
        throw Error("{}: questions are about at most {} tokens, but this lesson has {}; give fewer.",
                    options.command->name, most_tokens, tokens);
    }
    Quiz quiz = make_quiz(trace, Words(options.language, "quiz"), options.print, options.quiz_seed);
    if (!options.exercise.empty() && options.count != 0) {
        throw changes_nothing("--count", options.exercise);
    }
    if (options.exercise.empty()) {
        select_questions(quiz, options.count == 0 ? usual_count : options.count, options.quiz_seed);
    } else {
        std::erase_if(quiz.questions,
                      [&](const QuizQuestion& one) { return one.exercise != options.exercise; });
    }
    if (quiz.questions.empty()) {
        throw Error("there are no questions about these steps; leave --step and --weights out.");
    }
    return quiz;
}

}  // namespace attn
