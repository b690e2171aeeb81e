// Writes questions of the quiz as a sheet, and its key.
#include <algorithm>
#include <string>

#include "answers/answers.hpp"
#include "commands/declare.hpp"
#include "answers/chosen_questions.hpp"
#include "commands/exercise_words.hpp"
#include "commands/words.hpp"
#include "exports.hpp"
#include "make_trace.hpp"
#include "quiz/answer_sheet.hpp"
#include "terminal.hpp"
#include "views/document/blocks.hpp"

namespace attn {

namespace {

bool is_key(const Export& one) {
    return one.option == "--key";
}

// Writes the sheet to the chosen files, or to standard output. The key has the same format.
void write_sheets(const Options& options, const Quiz& quiz) {
    const auto sheet = [&](bool as_key) {
        return answer_sheet(quiz, {options.exercise, options.count, options.command_again, as_key},
                            options.style);
    };
    write_exports(options, [&](const Export& one, const WriteBytes& write) {
        one.format->write_sheet(write, sheet(is_key(one)), options.style);
    });
    if (std::ranges::all_of(options.exports, is_key) && !exports_to_standard_output(options)) {
        std::string text;
        write_markdown([&](std::string_view part) { text += part; }, sheet(false), options.style);
        show(options, text);
    }
}

}  // namespace

ExitCode run_exercises(Options& options) {
    options.words = take_stages_and_exercise(options);
    take_stages_and_steps(options);
    prepare(options);
    const Trace trace = make_trace(options);
    write_sheets(options, chosen_questions(options, trace));
    return ExitCode::agrees;
}

}  // namespace attn
