// An exercise sheet of quiz questions, and the answers that students give.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quiz/questions.hpp"
#include "views/document/blocks.hpp"

namespace attn {

struct SheetRequest {
    std::string_view exercise;  // the book's exercise that all questions belong to; may be empty
    std::size_t requested = 0;  // the number of questions that the command line asks for
    std::string_view command;   // the command that prints the same sheet again
    bool is_key = false;
};

Blocks answer_sheet(const Quiz& quiz, const SheetRequest& request, const Style& style);

// One student's answers by question; a missing answer is empty.
struct AnswerSet {
    std::optional<std::string> name;  // the student's name; empty if the file has the answers of only one
    std::vector<std::string> answers;
};

// Reads the answers in a sheet that answer_sheet() made, as a notebook or Markdown: `answers["2"] =
// "0.5517"`, or `**Answer:** 0.5517` below the heading of the task. A task without an answer is empty. Throws
// Error unless the sheet has as many tasks as there are questions.
AnswerSet read_filled_sheet(std::string_view text, std::string_view origin, std::size_t questions);

// Reads JSON: a list of answers, an object with answers by number, {"1": "0.5517", "3": [6, 2]}, or an object
// with several such sets by student. Throws Error for anything else, and for more answers than questions.
std::vector<AnswerSet> read_answer_sets(std::string_view text, std::string_view origin,
                                        std::size_t questions);

// Reads a table as spreadsheets save it: a line with the numbers of the tasks after the first column, then
// one line per student, with the name first. Without names, the first column is a task, too. Two columns can
// be one student's tasks and answers. Throws Error for another table.
std::vector<AnswerSet> read_answer_table(std::string_view text, std::string_view origin,
                                         std::size_t questions);

}  // namespace attn
