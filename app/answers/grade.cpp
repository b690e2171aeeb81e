// Marks answers to a sheet of exercises.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answers/chosen_questions.hpp"
#include "answers/exercise_words.hpp"
#include "answers/file_use.hpp"
#include "commands/declare.hpp"
#include "commands/words.hpp"
#include "exports.hpp"
#include "files/source.hpp"
#include "files/system.hpp"
#include "make_trace.hpp"
#include "parameters.hpp"
#include "quiz/answer_sheet.hpp"
#include "quiz/verdict_text.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/printable.hpp"
#include "text/split.hpp"
#include "views/document/csv.hpp"
#include "views/document/made_by.hpp"

namespace attn {

namespace {

// The verdicts on all answers, and the number of right ones.
struct Marked {
    std::string text;
    std::size_t right = 0;
    std::string row;  // 1 for a right answer, 0 for a wrong one: 1,0,1
};

Marked marked(const AnswerSet& set, const Quiz& quiz, AnswerJudge& judge, const VerdictWords& words) {
    constexpr std::size_t longest = 200;  // an answer is shown with at most this many columns
    Marked marked;
    for (std::size_t i = 0; i < quiz.questions.size(); ++i) {
        const QuizQuestion& question = quiz.questions[i];
        const Verdict& verdict = judge.judge(question, set.answers[i]);
        const std::string answer = printable(set.answers[i], longest);
        marked.right += verdict.right ? 1 : 0;
        marked.row += verdict.right ? ",1" : ",0";
        marked.text += fmt::format("{} · {} · {}\n> {}\n{}\n", i + 1, question.right->stage->name,
                                   question.right->node(question.step).name, answer,
                                   words.verdict(question, answer, verdict));
    }
    return marked;
}

// Throws Error for a file with code, outputs or tensors, which diagnose judges.
void require_answers(const std::string& file) {
    if (!is_sheet(file) &&
        has_suffix(file, {".py", ".ipynb", ".md", ".tex", ".txt", ".npy", ".npz", ".safetensors"})) {
        throw Error(
            "grade: expected answers as JSON, such as {0}, as .csv, or in the sheet as .ipynb or .md, but "
            "received {1}. To judge code and its outputs, use attn-walkthrough diagnose {2}.",
            "{\"1\": \"0.5517\"}", in_quotes(file), shell_word(file));
    }
}

// Replaces folders by the answers in them, or else by the sheets.
void take_folders(std::vector<std::string>& files) {
    std::vector<std::string> all;
    for (const std::string& file : files) {
        if (kind_of(file) == FileKind::folder) {
            const std::vector<std::string> within = files_in(file);
            const bool has_answers = std::ranges::any_of(within, is_answer_file);
            std::ranges::copy_if(within, std::back_inserter(all), has_answers ? is_answer_file : is_sheet);
        } else {
            all.push_back(file);
        }
    }
    files = all.empty() ? files : all;
}

// Reads the answers in a file. `made` is the command of the sheets that were read before.
std::vector<AnswerSet> answers_in(const std::string& file, std::size_t questions,
                                  std::optional<std::string>& made) {
    const std::string text = read_source(file);
    const std::string origin = source_name(file);
    const std::optional<std::string> command = command_of_sheet(text);
    // Standard input has no suffix: JSON begins with a bracket, and the first line of a table has separators.
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n\xEF\xBB\xBF"), text.size());
    const bool is_table = !command && !is_one_of(text[begin], "[{") &&
                          up_to(text, "\n").find_first_of(",;\t") != std::string_view::npos;
    if (is_table || has_suffix(file, {".csv", ".tsv"})) {
        return read_answer_table(text, origin, questions);
    }
    if (!command) {
        return read_answer_sets(text, origin, questions);
    }
    if (made.value_or(*command) != *command) {
        throw Error("{}: this sheet has other questions than the one before; mark it on its own.",
                    printable(origin));
    }
    made = command;
    return {read_filled_sheet(text, origin, questions)};
}

ExitCode run_grade(QuestionOptions& options) {
    std::vector<std::string> files = take_stages_and_exercise(options);
    take_stage_unless_given(options, "causal");
    take_folders(files);
    std::ranges::for_each(files, require_answers);
    if (files.size() < 2 || !std::ranges::all_of(files, is_file_or_pipe)) {
        files = {take_file(options, files)};
    }
    prepare(options, files.front());
    const Trace trace = make_trace(options, options.steps);
    const Quiz quiz = chosen_questions(options, trace);
    const std::size_t count = quiz.questions.size();
    const VerdictWords words(options.language);
    AnswerJudge judge(quiz.questions, {trace.focus, trace.weights});
    std::string text = count < options.count ? words.phrases()("few", count) + "\n\n" : "";
    std::string scores;
    std::string table = "name";
    for (std::size_t i = 1; i <= count; ++i) {
        table += fmt::format(",{}", i);
    }
    table += ",right\n";
    bool all_right = true;
    std::optional<std::string> made;
    for (const std::string& file : files) {
        if (!is_read(options, file)) {
            continue;
        }
        for (const AnswerSet& set : answers_in(file, count, made)) {
            const auto& [said, right, row] = marked(set, quiz, judge, words);
            std::string name = set.name && !set.name->empty() ? printable(*set.name) : set.name ? "\"\"" : "";
            if (files.size() > 1) {
                name = printable(source_name(file)) + (name.empty() ? "" : " · " + name);
            }
            text += name.empty() ? said : fmt::format("{}\n\n{}", name, said);
            scores += (name.empty() ? "" : name + ": ") + words.phrases()("score", right, count) + "\n";
            table += fmt::format("{}{},{}\n", csv_token(name), row, right);
            all_right = all_right && right == count;
        }
    }
    write_or_show(
        options, [&] { return table; }, text + scores);
    return all_right ? ExitCode::agrees : ExitCode::differs;
}

void declare_grade(Declaration& declared, QuestionOptions& options) {
    add_questions(declared, options);
    // in_own_words() replaces it by the options of the file, unless it finds none.
    declared.add({.name = "--key",
                  .names = Names::input_file,
                  .type = "FILE",
                  .help = "Sheet or key; it names the options it was made with",
                  .target = [](const std::string& file) {
                      if (file != "-" && !is_file_or_pipe(file)) {
                          read_source(file);  // says that it is missing
                      }
                      throw Error(
                          "--key: expected a sheet or key of attn-walkthrough exercises, with the same "
                          "--input and --weights here, but received {}.",
                          in_quotes(file));
                  }});
    add_steps(declared, options.steps);
    add_run(declared, options, {"--seed", "--d-out", "--heads"});
    add_out(declared, options, "Scores, as .csv", ".csv");
    add_general(declared, options);
    add_precision(declared, options.print);
}

}  // namespace

Command grade_command() {
    return {
        .name = "grade",
        .summary = "Mark answers to a sheet of exercises made with the same options.",
        .words = "[STAGE…|EXERCISE] ANSWERS…|-",
        .examples = {{"attn-walkthrough grade answers.json", "answers by number, {\"1\": \"0.5517\"}"},
                     {"attn-walkthrough grade ada.json ben.json", "students; also .csv, .ipynb, .md"},
                     {"attn-walkthrough grade 3.2 answers.json", "answers to the book's exercise 3.2"}},
        .declare = declaring(run_grade, declare_grade),
    };
}

}  // namespace attn
