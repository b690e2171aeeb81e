// Writes questions of the quiz as a sheet, and its key.
#include <algorithm>
#include <string>

#include "answers/answers.hpp"
#include "answers/chosen_questions.hpp"
#include "answers/exercise_words.hpp"
#include "commands/declare.hpp"
#include "commands/words.hpp"
#include "exports.hpp"
#include "make_trace.hpp"
#include "quiz/answer_sheet.hpp"
#include "terminal.hpp"
#include "views/document/blocks.hpp"

namespace attn {

namespace {

// Returns the suffixes of the formats that a sheet can have.
std::string_view sheet_suffixes() {
    static const std::string suffixes = [] {
        std::string all;
        for (const FileFormat& format : formats()) {
            all += format.write_sheet != nullptr ? std::string(format.suffix) + " " : "";
        }
        return all;
    }();
    return suffixes;
}

bool is_key(const Export& one) {
    return one.option == "--key";
}

// Writes the sheet to the chosen files, or to standard output. The key has the same format.
void write_sheets(const QuestionOptions& options, const Quiz& quiz) {
    const Style style{options.language, options.print};
    const auto sheet = [&](bool as_key) {
        return answer_sheet(quiz, {options.exercise, options.count, options.command_again, as_key}, style);
    };
    write_exports(options, [&](const Export& one, const WriteBytes& write) {
        one.format->write_sheet(write, sheet(is_key(one)), style);
    });
    if (std::ranges::all_of(options.exports, is_key) && !exports_to_standard_output(options)) {
        std::string text;
        write_markdown([&](std::string_view part) { text += part; }, sheet(false), style);
        show(options, text);
    }
}

ExitCode run_exercises(QuestionOptions& options) {
    options.words = take_stages_and_exercise(options);
    take_stages_and_steps(options, options.steps);
    take_stage_unless_given(options, "causal");
    prepare(options);
    const Trace trace = make_trace(options, options.steps);
    write_sheets(options, chosen_questions(options, trace));
    return ExitCode::agrees;
}

void declare_exercises(Declaration& declared, QuestionOptions& options) {
    add_questions(declared, options);
    add_steps(declared, options.steps);
    add_run(declared, options, {"--seed", "--d-out", "--heads"});
    add_out(declared, options, "The sheet: .md, .tex or .ipynb; default: Markdown on standard output",
            sheet_suffixes());
    const auto take_key = [&options](const std::string& file) {
        options.exports.push_back(export_to("--key", file, sheet_suffixes()));
    };
    declared.add({.name = "--key",
                  .names = Names::output_file,
                  .help = "The sheet with its answers",
                  .target = take_key});
    add_general(declared, options);
    add_precision(declared, options.print);
}

}  // namespace

Command exercises_command() {
    return {
        .name = "exercises",
        .summary = "Write a sheet of questions for a class, and its key.",
        .words = "[STAGE…|EXERCISE]",
        .examples = {{"attn-walkthrough exercises causal --key key.md", "a sheet, and its key in a file"},
                     {"attn-walkthrough exercises linear --count 5 --quiz-seed 7",
                      "different questions, as Markdown"},
                     {"attn-walkthrough exercises 3.2", "the book's exercise 3.2, with different numbers"}},
        .declare = declaring(run_exercises, declare_exercises),
    };
}

}  // namespace attn
