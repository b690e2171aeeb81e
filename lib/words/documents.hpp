// The documents that stages follow, the book's sections of each stage, and the main path of each stage.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stages/stage.hpp"
#include "words/words.hpp"

namespace attn {

// The names of all documents: 000, 001, ….
std::vector<std::string> documents();

// One line per document: its name and title.
std::string document_entries(std::span<const std::string> names, const Words& phrases, std::size_t columns);

// Returns `In the book: 3.5.1, 3.5.2, figures 3.19 to 3.21.`; empty if the book does not cover the stage.
std::string book_place(std::string_view stage, const Words& phrases);

// The exercises of chapter 3 of the book: 3.1, 3.2, ….
std::vector<std::string> exercise_numbers();

// The stage that an exercise belongs to; empty if there is no such exercise.
std::string_view stage_of_exercise(std::string_view number);

// The numbered parts of the book. Section 3.6 and figure 3.6 are different parts.
enum class BookPart { section, figure, listing };

// Returns the first stage of a part of the book in reading order, null if there is none. If there is no
// such section, returns the stage of the figure.
const Stage* stage_of(BookPart part, std::string_view number);

// A part of the main path of a stage: its label, and the name of its step, with # for any number.
struct PathPart {
    std::string label, step;
};

// Returns the main path of a stage, from data/maps.json; empty if it has none.
std::vector<PathPart> main_path(std::string_view stage);

// Returns the Python code of the compact class that computes the same as a stage; empty if there is none.
std::string module_code(std::string_view stage);

}  // namespace attn
