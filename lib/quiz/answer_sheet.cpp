#include "quiz/answer_sheet.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "files/json.hpp"
#include "files/located.hpp"
#include "tensor/digits.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/decimal.hpp"
#include "text/lists.hpp"
#include "text/numbered.hpp"
#include "text/printable.hpp"
#include "text/split.hpp"
#include "views/document/made_by.hpp"
#include "words/words.hpp"

namespace attn {

namespace {

// Returns 3 for `3`, and nothing for `03` or a name.
std::optional<std::uint64_t> number_of(std::string_view key) {
    std::uint64_t number = 0;
    return read_whole(key, number) && std::to_string(number) == key ? std::optional(number) : std::nullopt;
}

// The text that a student would type.
std::string answer(const JsonView& json) {
    if (json.kind() == "string") {
        return json.string();
    }
    if (json.kind() == "number") {
        return shortest_digits(json.number());
    }
    if (json.kind() == "array") {
        std::vector<std::string> sizes;
        for (std::size_t i = 0; i < json.size(); ++i) {
            sizes.push_back(answer(json[i]));
        }
        return fmt::format("({})", fmt::join(sizes, ", "));
    }
    if (json.kind() == "null") {
        return "";
    }
    json.fail("expected a number, a text, or a list of sizes.");
}

AnswerSet answer_set(const std::optional<std::string>& name, const JsonView& json, std::size_t questions) {
    AnswerSet set{name, std::vector<std::string>(questions)};
    const auto put = [&](std::uint64_t number, const JsonView& given) {
        if (number < 1 || number > questions) {
            given.fail(Message("expected a task from 1 to {}.", questions));
        }
        set.answers[std::size_t(number - 1)] = answer(given);
    };
    if (json.kind() == "array") {
        for (std::size_t i = 0; i < json.size(); ++i) {
            put(i + 1, json[i]);
        }
    } else if (json.kind() == "object") {
        for (const auto& [key, given] : json.members()) {
            put(number_of(key).value_or(0), given);
        }
    } else {
        json.fail(
            "expected answers as a list, or as an object by number, {\"1\": "
            "\"0.5517\"}.");
    }
    return set;
}

using TableRows = std::vector<std::vector<std::string>>;

// Returns the fields of each line of a table. A field in quotes may contain separators.
TableRows table_fields(std::string_view text, std::string_view origin) {
    const std::string_view first = up_to(text, "\n");
    const char separator = contains(first, '\t') ? '\t' : contains(first, ';') ? ';' : ',';
    TableRows rows{{""}};
    bool is_quoted = false;
    std::size_t quote = 0;  // where the last one is
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"') {
            is_quoted = !is_quoted;
            quote = at;
        } else if (c == '\n' && !is_quoted) {
            rows.push_back({""});
        } else if (c == separator && !is_quoted) {
            rows.back().emplace_back();
        } else if (c != '\r') {
            rows.back().back() += c;
        }
    }
    if (is_quoted) {
        fail_at(text, quote, origin, "this quote is not closed.");
    }
    std::erase_if(rows, [](const auto& fields) { return std::ranges::all_of(fields, &std::string::empty); });
    return rows;
}

// Returns the task that a text such as `Q2` names; 0 for another text.
std::size_t task_in(std::string_view text, std::size_t questions) {
    std::uint64_t task = 0;
    return read_whole(number_in(text), task) && task <= questions ? std::size_t(task) : 0;
}

[[noreturn]] void refuse_repeated(std::size_t task, std::string_view origin) {
    throw Error("{}: task {} is named twice; leave one of its answers out.", printable(origin), task);
}

// Reads a table `question,answer` of one student, with a row for each task. Returns nothing for another
// table.
std::optional<AnswerSet> answers_of_one(const TableRows& rows, std::string_view origin,
                                        std::size_t questions) {
    const auto has_answer = [&](const auto& row) {
        return row.size() == 2 && task_in(row[0], questions) > 0;
    };
    if (rows.size() < 2 || rows[0].size() != 2 || !number_in(rows[0][1]).empty() ||
        !std::all_of(rows.begin() + 1, rows.end(), has_answer)) {
        return std::nullopt;
    }
    AnswerSet set{std::nullopt, std::vector<std::string>(questions)};
    std::set<std::size_t> tasks;
    for (auto row = rows.begin() + 1; row != rows.end(); ++row) {
        const std::size_t task = task_in(row->front(), questions);
        if (!tasks.insert(task).second) {
            refuse_repeated(task, origin);
        }
        set.answers[task - 1] = row->back();
    }
    return set;
}

// The columns that are read: the name's, unless the table has none, and those of the tasks.
struct TableColumns {
    std::optional<std::size_t> name;
    std::map<std::size_t, std::size_t> of_task;
};

// Columns before the first task are of the student: the last one is the name. Throws Error for columns after
// it without a task of their own, and for a table without answers.
TableColumns columns_of(const TableRows& rows, std::string_view origin, std::size_t questions) {
    constexpr std::string_view example = "\n    name,1,2\n    Ada,0.5517,-inf";
    const std::vector<std::string> heads = rows.empty() ? std::vector<std::string>() : rows.front();
    const auto task_of = [&](std::string_view head) { return task_in(head, questions); };
    const std::vector<std::size_t> tasks = mapped(heads, task_of);
    // A first column with a task of its own has answers; the one of `Group 1,1,2` has names.
    const bool is_nameless = !tasks.empty() && tasks.front() > 0 &&
                             (number_of(heads.front()) || std::ranges::count(tasks, tasks.front()) == 1);
    const auto first =
        std::size_t(std::ranges::find_if(tasks, [](std::size_t task) { return task > 0; }) - tasks.begin());
    const std::size_t name = first == tasks.size() || first == 0 ? 0 : first - 1;
    TableColumns columns{is_nameless ? std::nullopt : std::optional(name), {}};
    const bool is_number = !is_nameless && !heads.empty() && number_of(heads[name]);  // of no task
    for (std::size_t at = is_nameless ? 0 : name + (is_number ? 0 : 1); at < heads.size(); ++at) {
        if (tasks[at] == 0) {
            throw Error(
                "{}: expected the first line to name tasks from 1 to {} but "
                "found {}; for example:{}",
                printable(origin), questions, in_quotes(heads[at]), example);
        }
        if (!columns.of_task.emplace(tasks[at], at).second) {
            refuse_repeated(tasks[at], origin);
        }
    }
    if (columns.of_task.empty() || rows.size() < 2) {
        throw Error("{}: expected a table of answers; for example:{}", printable(origin), example);
    }
    return columns;
}

std::string_view without_blanks(std::string_view text, std::string_view blanks = " \t\r") {
    const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
    return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

// Returns the code of a notebook, and any other text as it is.
std::string code_or_text(std::string_view text, std::string_view origin) {
    if (!without_blanks(text).starts_with('{')) {
        return std::string(text);
    }
    std::string code;
    for (const JsonView& cell : parse_json(text, origin).at("cells").elements()) {
        if (cell.at("cell_type").string() == "code") {
            const JsonView source = cell.at("source");
            code += (source.kind() == "array" ? joined(source.strings(), "") : source.string()) + "\n";
        }
    }
    return code;
}

// Returns the text of a Python literal: 0.5517 for `"0.5517"  # rounded`.
std::string_view literal_text(std::string_view code) {
    code = without_blanks(code);
    const bool is_quoted = code.starts_with('"') || code.starts_with('\'');
    return is_quoted ? up_to(code.substr(1), code.substr(0, 1)) : without_blanks(up_to(code, "#"));
}

// Returns where an answer begins in a line such as `**Answer:** 0.5517`, which editors also save as
// `- __Answer:__ 0.5517` or `Answer: 0.5517`. Returns npos for other lines.
std::size_t end_of_label(std::string_view line) {
    static const std::string labels[] = {Words("en", "exercises")("answer"),
                                         Words("zh", "exercises")("answer")};
    constexpr std::string_view marks = " \t*_>-";
    const std::size_t first = std::min(line.find_first_not_of(marks), line.size());
    for (const std::string_view label : labels) {
        // The colon may stand behind the marks, and may be of the other script.
        const std::string word = lowered(label.substr(0, label.find_first_of(":\xEF")));
        if (!lowered(line.substr(first, word.size())).starts_with(word)) {
            continue;
        }
        const std::size_t colon = line.find_first_not_of(marks, first + word.size());
        const std::string_view rest = line.substr(std::min(colon, line.size()));
        for (const std::string_view sign : {":", "："}) {
            if (rest.starts_with(sign)) {
                return colon + sign.size();
            }
        }
    }
    const std::size_t bold_end = line.starts_with("**") ? line.find("**", 2) : std::string_view::npos;
    const std::string_view bold = line.substr(0, bold_end);
    const bool is_label = bold_end != std::string_view::npos && (bold.ends_with(":") || bold.ends_with("："));
    return is_label ? bold_end + 2 : std::string_view::npos;
}

}  // namespace

AnswerSet read_filled_sheet(std::string_view text, std::string_view origin, std::size_t questions) {
    std::map<std::uint64_t, std::string> answers;  // by task
    const std::string lines = code_or_text(text, origin);
    std::uint64_t task = 0;
    bool is_label_above = false;  // the answer may stand on a line of its own
    for (const std::string_view whole : split_lines(lines)) {
        const std::string_view line = without_blanks(whole);
        const std::size_t label_end = end_of_label(line);
        const bool is_label = label_end != std::string_view::npos;
        if (line.starts_with("answers[") && contains(line, '=')) {
            task = number_of(number_in(up_to(line, "="))).value_or(0);
            answers[task] = literal_text(line.substr(line.find('=') + 1));
        } else if (line.starts_with("## ") || contains(line, "attn-walkthrough exercises")) {
            task = number_of(up_to(line.substr(std::min<std::size_t>(3, line.size())), ".")).value_or(0);
            is_label_above = false;
        } else if (is_label || (is_label_above && !line.empty())) {
            const std::string_view answer =
                without_blanks(is_label ? line.substr(label_end) : line, " \t\r*_");
            is_label_above = answer.empty();
            answers[task] = answer;
        }
    }
    if (answers.size() != questions || answers.rbegin()->first != questions) {
        throw Error("{}: the sheet has {} tasks, but {} are marked; give the options it was made with.",
                    printable(origin), answers.size(), questions);
    }
    AnswerSet set{std::nullopt, {}};
    for (const auto& [number, answer] : answers) {
        set.answers.push_back(answer);
    }
    return set;
}

std::vector<AnswerSet> read_answer_table(std::string_view text, std::string_view origin,
                                         std::size_t questions) {
    const TableRows rows = table_fields(text, origin);
    if (std::optional<AnswerSet> of_one = answers_of_one(rows, origin, questions)) {
        return {std::move(*of_one)};
    }
    const TableColumns columns = columns_of(rows, origin, questions);
    std::vector<AnswerSet> sets;
    std::map<std::string, std::size_t> row_of;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const std::vector<std::string>& row = rows[i];
        AnswerSet set{std::nullopt, std::vector<std::string>(questions)};
        if (columns.name) {
            set.name = *columns.name < row.size() ? row[*columns.name] : "";
        }
        const auto [first_row, is_new] = row_of.emplace(set.name.value_or(""), i + 1);
        if (!is_new && !first_row->first.empty()) {
            throw Error("{}: row {} names {} again, after row {}; give each student one row.",
                        printable(origin), i + 1, in_quotes(first_row->first), first_row->second);
        }
        for (const auto& [task, column] : columns.of_task) {
            set.answers[task - 1] = column < row.size() ? row[column] : "";
        }
        sets.push_back(std::move(set));
    }
    return sets;
}

Blocks answer_sheet(const Quiz& quiz, const SheetRequest& request, const Style& style) {
    using enum ProseKind;
    const Words words(style.language, "exercises");
    const std::string exercise(request.exercise);
    const bool of_book = !exercise.empty();
    const bool solves = request.is_key && of_book;
    const std::string name = of_book ? words("of_book", exercise) : words("title");
    Blocks sheet{Prose{title, request.is_key ? words("key", name) : name, "sheet"},
                 Prose{paragraph, of_book ? words(exercise + "/statement") : words("how")}};
    if (quiz.questions.size() < request.requested) {
        sheet.push_back(Prose{paragraph, Words(style.language, "quiz")("few", quiz.questions.size())});
    }
    sheet.push_back(Code{"answers", {}, {"import json\n\nanswers = {}", ""}});
    for (std::size_t i = 0; i < quiz.questions.size(); ++i) {
        const QuizQuestion& question = quiz.questions[i];
        const StageTrace& walked = *question.right;
        const Node& step = walked.node(question.step);
        const std::string task = fmt::format("task-{}", i + 1);
        const std::string asked = question.is_exercise()
                                      ? words("of_book", question.exercise)
                                      : fmt::format("{} · {}", walked.stage->name, step.name);
        sheet.push_back(Prose{heading, fmt::format("{}. {}", i + 1, asked), task});
        if (!question.shown.empty()) {
            sheet.push_back(Output{question.shown});
        }
        sheet.push_back(Prose{paragraph, question.text});
        AnswerLine answer{i + 1, words("answer"), {}};
        if (request.is_key) {
            answer.text = answer_text(question.right_answer(), question.decimals);
        }
        sheet.push_back(answer);
        if (solves && question.cell) {
            const std::string tensor = tensor_text(step.value, {}, style.print);
            sheet.push_back(Output{fmt::format("{} =\n{}\n", step.name, tensor), task + "-solved"});
        }
    }
    sheet.push_back(Code{"written",
                         {},
                         {"with open(\"answers.json\", \"w\") as file:\n    "
                          "json.dump(answers, file)",
                          ""}});
    if (solves) {
        sheet.push_back(Prose{paragraph, words(exercise + "/solution"), "conclusion-1"});
    }
    sheet.push_back(
        Prose{paragraph, words("made_by", request.command), solves ? "conclusion-2" : "conclusion-1"});
    sheet.push_back(Comment{made_by(request.command)});
    return sheet;
}

std::vector<AnswerSet> read_answer_sets(std::string_view text, std::string_view origin,
                                        std::size_t questions) {
    const JsonView root = parse_json(text, origin);
    std::vector<AnswerSet> sets;
    if (root.kind() == "object") {
        for (const auto& [key, value] : root.members()) {
            if (number_of(key)) {
                return {answer_set(std::nullopt, root, questions)};
            }
        }
        for (const auto& [name, answers] : root.members()) {
            sets.push_back(answer_set(std::string(name), answers, questions));
        }
    }
    return sets.empty() ? std::vector{answer_set(std::nullopt, root, questions)} : sets;
}

}  // namespace attn
