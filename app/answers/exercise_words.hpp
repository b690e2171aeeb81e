// The names of the book's exercises in a command line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"

namespace attn {

// A text such as "exercise 3.1" or "练习 3.1" within a longer one.
struct ExerciseName {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string number;
};

// Returns the first name of an exercise in a text, also of one that the chapter does not have.
std::optional<ExerciseName> find_exercise(std::string_view text);

// Moves the stages, or the number of an exercise of the book, from a command's words to its options. Returns
// the other words.
std::vector<std::string> take_stages_and_exercise(QuestionOptions& options);

}  // namespace attn
