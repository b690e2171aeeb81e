// Marks answers to a sheet of exercises.
#include <fmt/format.h>

#include <string>

#include "commands/declare.hpp"
#include "commands/sheet_questions.hpp"
#include "commands/words.hpp"
#include "exports.hpp"
#include "files/source.hpp"
#include "make_trace.hpp"
#include "quiz/answer_sheet.hpp"
#include "quiz/verdict_text.hpp"
#include "tensor/error.hpp"
#include "terminal.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

// The verdicts on all answers, and the number of right ones.
struct Marked {
    std::string text;
    std::size_t right = 0;
};

Marked marked(const AnswerSet& set, const Quiz& quiz, const Inputs& inputs, const VerdictWords& words) {
    constexpr std::size_t longest = 200;  // an answer is shown with at most this many columns
    Marked marked;
    for (std::size_t i = 0; i < quiz.questions.size(); ++i) {
        const QuizQuestion& question = quiz.questions[i];
        const Verdict verdict = judge(question, set.answers[i], inputs);
        const std::string answer = printable(set.answers[i], longest);
        marked.right += verdict.right ? 1 : 0;
        marked.text += fmt::format("{} · {} · {}\n> {}\n{}\n", i + 1, question.right->stage->name,
                                   question.right->node(question.step).name, answer,
                                   words.verdict(question, answer, verdict));
    }
    return marked;
}

ExitCode run_grade(Options& options) {
    options.data = take_file(options, take_stages_and_exercise(options));
    prepare(options);
    const Trace trace = make_trace(options);
    const Quiz quiz = chosen_questions(options, trace);
    const std::size_t count = quiz.questions.size();
    const std::vector<AnswerSet> sets =
        read_answer_sets(read_source(*options.data), source_name(*options.data), count);
    const VerdictWords words(options.style.language);
    const Inputs inputs{trace.focus, trace.weights};
    std::string text;
    std::string scores;
    bool all_right = true;
    for (const AnswerSet& set : sets) {
        const auto& [said, right] = marked(set, quiz, inputs, words);
        const std::string name = set.name && !set.name->empty() ? printable(*set.name) : "\"\"";
        text += set.name ? fmt::format("{}\n\n{}", name, said) : said;
        scores += (set.name ? name + ": " : "") + words.phrases()("score", right, count) + "\n";
        all_right = all_right && right == count;
    }
    show(options, text + scores);
    return all_right ? ExitCode::agrees : ExitCode::differs;
}

void declare_grade(Declaration& declared, Options& options) {
    add_questions(declared, options);
    add_steps(declared, options);
    add_parameters(declared, options, {"--seed", "--d-out", "--heads"});
    add_input(declared, options);
    add_general(declared, options);
    add_precision(declared, options);
}

}  // namespace

Command grade_command() {
    return {
        .name = "grade",
        .summary = "Mark answers to a sheet of exercises made with the same options.",
        .words = "[STAGE…|EXERCISE] ANSWERS|-",
        .examples = {{"attn-walkthrough grade answers.json", "answers by number, {\"1\": \"0.5517\"}"},
                     {"attn-walkthrough grade class.json --quiz-seed 7", "answers of several students"},
                     {"attn-walkthrough grade 3.2 answers.json", "answers to the book's exercise 3.2"}},
        .run = run_grade,
        .declare = declare_grade,
    };
}

}  // namespace attn
