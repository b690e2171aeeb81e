// --exercises: questions of the quiz as a sheet and as its key, and answers to it marked.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "exports.hpp"
#include "files/source.hpp"
#include "make_trace.hpp"
#include "option_table.hpp"
#include "quiz/answer_sheet.hpp"
#include "quiz/exercises.hpp"
#include "quiz/verdict_text.hpp"
#include "tasks.hpp"
#include "tensor/error.hpp"
#include "terminal.hpp"
#include "text/printable.hpp"
#include "views/document/markdown.hpp"

namespace attn {

namespace {

// An exercise of the book is one of its stage, which need not be named.
Options with_stage_of_exercise(Options options) {
    if (options.exercise.empty()) {
        return options;
    }
    const std::string stage(stage_of_exercise(options.exercise));
    const auto is_other = [&](const Stage* one) { return one->name != stage; };
    if (std::ranges::any_of(options.stages, is_other)) {
        throw Error(
            fmt::format("--exercises: {} is about {}; name that stage, or none.", options.exercise, stage));
    }
    add_stage(options, stage);
    return options;
}

Quiz questions_of(const Options& options, const Trace& trace) {
    constexpr std::size_t usual_count = 10;
    Quiz quiz =
        make_quiz(trace, Words(options.style.language, "quiz"), options.style.print, options.quiz_seed);
    if (options.exercise.empty()) {
        select_questions(quiz, options.quiz_count.value_or(usual_count), options.quiz_seed);
    } else {
        std::erase_if(quiz.questions,
                      [&](const QuizQuestion& one) { return one.exercise != options.exercise; });
    }
    if (quiz.questions.empty()) {
        throw Error(
            "--exercises: there is nothing to ask about these steps; leave --step and --weights out.");
    }
    return quiz;
}

// The sheet goes where the first document asked for goes, or to standard output; the key is set as it is.
void write_sheets(const Options& options, const Quiz& quiz) {
    const std::string command = "attn-walkthrough " + options.given;
    const auto sheet = [&](bool is_key) {
        return answer_sheet(quiz, {options.exercise, options.quiz_count.value_or(0), command, is_key},
                            options.style);
    };
    SheetFormat format = nullptr;
    for (const Given& one : options.exports) {
        if (one.option->write_sheet != nullptr) {
            format = format == nullptr ? one.option->write_sheet : format;
            write_target(one.text, [&](const WriteBytes& write) {
                one.option->write_sheet(write, sheet(false), options.style);
            });
        }
    }
    const SheetFormat format_of_key = format == nullptr ? write_markdown_sheet : format;
    for (const Given& one : options.exports) {
        if (one.option->write_sheet == nullptr) {
            write_target(one.text,
                         [&](const WriteBytes& write) { format_of_key(write, sheet(true), options.style); });
        }
    }
    if (format == nullptr && !exports_to_standard_output(options)) {
        std::string text;
        write_markdown_sheet([&](std::string_view part) { text += part; }, sheet(false), options.style);
        show(options, text);
    }
}

// What is said of each answer, and how many are right.
struct Marked {
    std::string text;
    std::size_t right = 0;
};

Marked marked(const AnswerSet& set, const Quiz& quiz, const Inputs& inputs, const VerdictWords& words) {
    Marked marked;
    for (std::size_t i = 0; i < quiz.questions.size(); ++i) {
        const QuizQuestion& question = quiz.questions[i];
        const Verdict verdict = judge(question, set.answers[i], inputs);
        marked.right += verdict.right ? 1 : 0;
        marked.text += fmt::format("{} · {} · {}\n> {}\n{}\n", i + 1, question.right->stage->name,
                                   question.right->node(question.step).name, printable(set.answers[i]),
                                   words.verdict(question, set.answers[i], verdict));
    }
    return marked;
}

bool mark(const Options& options, const Quiz& quiz, const Trace& trace) {
    if (!options.exports.empty()) {
        throw Error(fmt::format("--grade marks answers and writes no files: leave --{} out.",
                                options.exports.front().option->name));
    }
    const std::size_t count = quiz.questions.size();
    const std::string origin = source_name(*options.answers);
    const std::vector<AnswerSet> sets =
        read_answer_sets(read_source(*options.answers, options.max_input_bytes), origin, count);
    const VerdictWords words(options.style.language);
    const Inputs inputs{trace.focus, trace.weights.get()};
    std::string text;
    std::string scores;
    bool all_right = true;
    for (const AnswerSet& set : sets) {
        const auto& [said, right] = marked(set, quiz, inputs, words);
        text += set.name.empty() ? said : fmt::format("{}\n\n{}", printable(set.name), said);
        scores += (set.name.empty() ? "" : printable(set.name) + ": ") +
                  words.phrases()("score", right, count) + "\n";
        all_right = all_right && right == count;
    }
    show(options, text + scores);
    return all_right;
}

}  // namespace

bool exercises(const Options& given) {
    const Options options = with_stage_of_exercise(given);
    const Trace trace = make_trace(options);
    const Quiz quiz = questions_of(options, trace);
    if (options.answers) {
        return mark(options, quiz, trace);
    }
    write_sheets(options, quiz);
    return true;
}

}  // namespace attn
