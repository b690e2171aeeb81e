#include "answers/exercise_words.hpp"

#include <algorithm>

#include "commands/words.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/lists.hpp"
#include "words/documents.hpp"
#include "words/first_guesses.hpp"

namespace attn {

namespace {

// Returns where the number after the name of an exercise begins. Between them are blanks, signs and words
// such as "number".
std::size_t number_after(std::string_view text, std::size_t at) {
    for (bool has_moved = true; has_moved;) {
        const std::size_t before = at;
        at = std::min(text.find_first_not_of(" #:.", at), text.size());
        for (const std::string& word : guess_words("words before numbers")) {
            at += text.substr(at).starts_with(word) ? word.size() : 0;
        }
        has_moved = at != before;
    }
    return at;
}

}  // namespace

std::optional<ExerciseName> find_exercise(std::string_view text) {
    const std::string small = lowered(text);
    std::optional<ExerciseName> found;
    for (const std::string& name : guess_words("names of exercises")) {
        for (std::size_t at = small.find(name); at != std::string::npos; at = small.find(name, at + 1)) {
            const std::size_t begin = number_after(small, at + name.size());
            const std::size_t end =
                std::max(begin, std::min(small.find_first_not_of("0123456789.", begin), small.size()));
            std::string number = small.substr(begin, end - begin);
            number.erase(number.find_last_not_of('.') + 1);
            const bool begins_word = at == 0 || !is_lower(small[at - 1]) || !is_lower(name.front());
            const bool is_numbered = std::ranges::count(number, '.') == 1 && is_digit(number.front());
            if (begins_word && is_numbered && (!found || at < found->begin)) {
                found = ExerciseName{at, begin + number.size(), std::move(number)};
            }
        }
    }
    return found;
}

std::vector<std::string> take_stages_and_exercise(QuestionOptions& options) {
    const std::vector<std::string> of_book = exercise_numbers();
    std::erase_if(options.words, [&](const std::string& word) {
        const bool is_exercise = contains(of_book, word);
        options.exercise = is_exercise ? word : options.exercise;
        return is_exercise;
    });
    std::vector<std::string> others = take_stages(options);
    if (options.exercise.empty()) {
        return others;
    }
    const std::string_view stage = stage_of_exercise(options.exercise);
    if (std::ranges::any_of(options.stages, [&](const Stage* one) { return one->name != stage; })) {
        throw Error("exercise {} is about {}; name this stage, or no stage.", options.exercise, stage);
    }
    take_stage_unless_given(options, stage);
    return others;
}

}  // namespace attn
