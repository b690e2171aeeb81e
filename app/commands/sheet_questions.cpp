#include "commands/sheet_questions.hpp"

#include <algorithm>

#include "commands/words.hpp"
#include "parameters.hpp"
#include "quiz/exercises.hpp"
#include "stages/catalogue.hpp"
#include "tensor/error.hpp"
#include "text/lists.hpp"

namespace attn {

std::vector<std::string> take_stages_and_exercise(Options& options) {
    const std::vector<std::string_view> of_book = exercise_numbers();
    std::erase_if(options.words, [&](const std::string& word) {
        const bool is_exercise = contains(of_book, word);
        options.exercise = is_exercise ? word : options.exercise;
        return is_exercise;
    });
    std::vector<std::string> others = take_stages(options);
    if (options.exercise.empty()) {
        take_stage_unless_given(options, "causal");
        return others;
    }
    const std::string_view stage = stage_of_exercise(options.exercise);
    if (std::ranges::any_of(options.stages, [&](const Stage* one) { return one->name != stage; })) {
        throw Error("exercise {} is about {}; name this stage, or no stage.", options.exercise, stage);
    }
    take_stage_unless_given(options, stage);
    return others;
}

Quiz chosen_questions(const Options& options, const Trace& trace) {
    constexpr std::size_t usual_count = 10;
    Quiz quiz =
        make_quiz(trace, Words(options.style.language, "quiz"), options.style.print, options.quiz_seed);
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
