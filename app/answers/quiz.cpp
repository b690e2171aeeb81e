// Asks questions about stages, reads and judges the answers, and keeps the score.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "answers/chosen_questions.hpp"
#include "commands/declare.hpp"
#include "commands/words.hpp"
#include "exports.hpp"
#include "files/json_value.hpp"
#include "files/sink.hpp"
#include "files/source.hpp"
#include "files/system.hpp"
#include "make_trace.hpp"
#include "parameters.hpp"
#include "quiz/hints.hpp"
#include "quiz/verdict_text.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"
#include "text/prose.hpp"
#include "views/explain/arithmetic_text.hpp"

namespace attn {

namespace {

void refuse_standard_input(const QuestionOptions& options) {
    if (options.input == "-" || options.weights == "-") {
        throw Error("quiz reads answers from standard input, so give files to --input and --weights.");
    }
}

class Session {
public:
    Session(const Quiz& quiz, const QuestionOptions& options, const Trace& trace)
        : quiz_(quiz),
          options_(options),
          trace_(trace),
          judge_(quiz.questions, {trace.focus, trace.weights}),
          words_(options.language),
          phrases_(words_.phrases()) {}

    ExitCode run() {
        const std::size_t count = quiz_.questions.size();
        std::size_t right = 0;
        std::size_t shown = 0;
        std::size_t asked = 0;
        if (count < options_.count) {
            write_standard_output(wrapped(phrases_("few", count)) + "\n");
        }
        if (input_is_terminal()) {
            write_standard_output(phrases_("how") + "\n\n");
        }
        for (const QuizQuestion& question : quiz_.questions) {
            write_standard_output(question_text(question, shown++));
            if (const std::optional<bool> answered = answer(question)) {
                ++asked;
                right += *answered ? 1 : 0;
            } else if (!has_ended_ || input_is_terminal()) {
                break;
            } else {
                write_standard_output("\n\n");  // without more answers, the other questions are shown
            }
        }
        const std::string score = asked == count ? phrases_("score", right, count)
                                                 : (has_ended_ && !input_is_terminal() ? "" : "\n") +
                                                       phrases_("ended", right, count, count - asked);
        write_standard_output(score + "\n");
        return right == count ? ExitCode::agrees : ExitCode::differs;
    }

    // Returns the questions with hints and solutions. The lines of standard input answer the first ones.
    // `all_right` becomes false if one of these answers is not right.
    std::string json(bool& all_right) {
        std::vector<Json> questions;
        bool ended = input_is_terminal();
        for (const QuizQuestion& question : quiz_.questions) {
            questions.push_back(Json{{"stage", question.right->stage->name},
                                     {"step", question.right->node(question.step).name},
                                     {"shown", question.shown},
                                     {"text", question.text},
                                     {"hint", hint(question, phrases_)},
                                     {"solution", answer_text(question.right_answer(), question.decimals)}});
            if (question.cell && !question.is_exercise()) {
                questions.back()["cell"] = cell_name(question.right->node(question.step), *question.cell);
            }
            const std::optional<std::string> typed = ended ? std::nullopt : read_line();
            ended = !typed;
            if (typed) {
                const Verdict& verdict = judge_.judge(question, *typed);
                all_right = all_right && verdict.right;
                const bool is_readable = typed->empty() || verdict.answer;
                questions.back()["answer"] =
                    Json{{"typed", *typed},
                         {"readable", is_readable},
                         {"right", verdict.right},
                         {"verdict", is_readable ? words_.verdict(question, *typed, verdict)
                                                 : words_.unreadable(question, *typed)}};
            }
        }
        return json_text({{"format", "attn-walkthrough/quiz"},
                          {"version", 1},
                          {"program", ATTN_VERSION},
                          {"questions", std::move(questions)}},
                         JsonLayout::indented);
    }

private:
    std::string question_text(const QuizQuestion& question, std::size_t asked) const {
        const StageTrace& walked = *question.right;
        const std::string heading =
            question.is_exercise()
                ? phrases_("exercise_heading", asked + 1, quiz_.questions.size(), walked.stage->name)
                : phrases_("heading", asked + 1, quiz_.questions.size(), walked.stage->name,
                           walked.node(question.step).name);
        const std::string shown = question.shown.empty() ? "" : question.shown + "\n";
        return fmt::format("{}\n\n{}{}", heading, shown, wrapped(question.text));
    }

    // Returns true if the answer is right, and nothing at the end of the input or for q. On a terminal, asks
    // again after an unreadable answer, and asks for confirmation after an empty answer.
    std::optional<bool> answer(const QuizQuestion& question) {
        for (bool is_sure = false;;) {
            write_standard_output("> ");
            const std::optional<std::string> line = read_line();
            if (!line) {
                has_ended_ = true;
                return std::nullopt;
            }
            if (!input_is_terminal()) {
                write_standard_output(printable(*line) + "\n");
            }
            const std::string typed = line->substr(0, line->find_last_not_of(" \t") + 1);
            if (typed == "q" || typed == "quit") {
                return std::nullopt;
            }
            if (typed == "?" || typed == "？") {
                write_standard_output(help_with(question) + "\n");
                continue;
            }
            if (typed.empty() && input_is_terminal() && !std::exchange(is_sure, true)) {
                write_standard_output(phrases_("sure") + "\n");
                continue;
            }
            const Verdict& verdict = judge_.judge(question, typed);
            if (!typed.empty() && !verdict.answer && input_is_terminal()) {
                write_standard_output(words_.unreadable(question, typed) + "\n");
                continue;
            }
            write_standard_output(words_.verdict(question, typed, verdict) + "\n");
            return verdict.right;
        }
    }

    std::string help_with(const QuizQuestion& question) const {
        std::string text = hint(question, phrases_);
        const auto is_walked = [&](const StageTrace& stage) { return &stage == question.right; };
        if (question.cell && std::ranges::any_of(trace_.stages, is_walked)) {
            text += phrases_("explained") + "\n  " + explaining(question) + "\n";
        }
        return text;
    }

    // Returns the command that explains the question's cell.
    std::string explaining(const QuizQuestion& question) const {
        std::string command = fmt::format("attn-walkthrough explain {}", question.right->stage->name);
        const auto add = [&](const std::string& words) { command += words.empty() ? "" : " " + words; };
        add(spelled(options_.parameters));
        add(options_.input ? "--input " + shell_word(*options_.input) : "");
        add(options_.weights ? "--weights " + shell_word(*options_.weights) : "");
        add(shell_word(cell_name(question.right->node(question.step), *question.cell)));
        return printable(command);
    }

    bool has_ended_ = false;  // true at the end of standard input
    const Quiz& quiz_;
    const QuestionOptions& options_;
    const Trace& trace_;
    AnswerJudge judge_;
    VerdictWords words_;
    const Words& phrases_;
};

ExitCode run_quiz(QuestionOptions& options) {
    take_stages_and_steps(options, options.steps);
    refuse_standard_input(options);
    take_stage_unless_given(options, "causal");
    prepare(options);
    const Trace trace = make_trace(options, options.steps);
    const Quiz quiz = chosen_questions(options, trace);
    if (options.is_rehearsal) {
        return ExitCode::agrees;
    }
    Session session(quiz, options, trace);
    if (!options.exports.empty()) {
        bool all_right = true;
        write_exports(options, [&] { return session.json(all_right); });
        return all_right ? ExitCode::agrees : ExitCode::differs;
    }
    return session.run();
}

void declare_quiz(Declaration& declared, QuestionOptions& options) {
    add_questions(declared, options);
    add_steps(declared, options.steps);
    add_run(declared, options, {"--seed", "--d-out", "--heads", "--dropout", "--qkv-bias"});
    add_json(declared, options, "The questions and the verdicts on answers from standard input, as JSON");
    add_general(declared, options);
    add_precision(declared, options.print);
}

}  // namespace

Command quiz_command() {
    return {
        .name = "quiz",
        .summary = "Ask questions about stages, and explain which mistake leads to a wrong answer.",
        .words = "[STAGE…]",
        .examples = {{"attn-walkthrough quiz", "ten questions about causal"},
                     {"attn-walkthrough quiz linear causal --count 5", "five questions about two stages"},
                     {"attn-walkthrough quiz --quiz-seed 7", "different questions"}},
        .declare = declaring(run_quiz, declare_quiz),
    };
}

}  // namespace attn
