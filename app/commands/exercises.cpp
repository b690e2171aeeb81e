#include "answers/answers.hpp"
#include "commands/declare.hpp"
#include "exports.hpp"

namespace attn {

namespace {

constexpr std::string_view sheet_suffixes = ".md .tex .ipynb";

void declare_exercises(Declaration& declared, Options& options) {
    add_questions(declared, options);
    add_steps(declared, options);
    add_parameters(declared, options, {"--seed", "--d-out", "--heads"});
    add_input(declared, options);
    add_out(declared, options, "The sheet: .md, .tex or .ipynb; default: Markdown on standard output",
            sheet_suffixes);
    const auto take_key = [&options](const std::string& file) {
        options.exports.push_back(export_to("--key", file, sheet_suffixes));
    };
    declared.add({.name = "--key", .type = "FILE", .help = "The sheet with its answers", .target = take_key});
    add_general(declared, options);
    add_precision(declared, options);
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
        .run = run_exercises,
        .declare = declare_exercises,
    };
}

}  // namespace attn
