// Questions of the quiz as a sheet to hand out, and answers that are handed back.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quiz/questions.hpp"
#include "views/document/sheet.hpp"

namespace attn {

struct SheetRequest {
    std::string_view exercise;  // of the book: the number of what all questions are taken from, or empty
    std::size_t wished = 0;     // how many there were to be
    std::string_view command;   // to be typed for the same sheet again
    bool is_key = false;
};

Sheet answer_sheet(const Quiz& quiz, const SheetRequest& request, const Style& style);

// A sheet of answers by question; an answer is empty where it is missing.
struct AnswerSet {
    std::optional<std::string> name;  // none where there is but one
    std::vector<std::string> answers;
};

// JSON: answers as a list, or as an object by number, {"1": "0.5517", "3": [6, 2]}; or an object of several
// such sets by name. Throws Error for anything else, and for more answers than questions.
std::vector<AnswerSet> read_answer_sets(std::string_view text, std::string_view origin,
                                        std::size_t questions);

}  // namespace attn
