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

// Returns the book's sections of a stage, `3.5.1, 3.5.2`; empty if the book does not cover it.
std::string book_sections(std::string_view stage);

// Returns `In the book: 3.5.1, 3.5.2, figures 3.19 to 3.21.`; empty if the book does not cover the stage.
std::string book_place(std::string_view stage, const Words& phrases);

// Returns the first stage of a section, `3.5` or `3.5.1`, or of a figure, `3.21`, in reading order; null if
// there is none. Sections end at 3.6, and the figures of all stages but the first begin at 3.7.
const Stage* stage_of_section(std::string_view section);

// A part of the main path of a stage: its label, and the name of its step, with # for any number.
struct PathPart {
    std::string label, step;
};

// Returns the main path of a stage, from data/maps.json; empty if it has none.
std::vector<PathPart> main_path(std::string_view stage);

// Returns the Python code of the compact class that computes the same as a stage; empty if there is none.
std::string module_code(std::string_view stage);

}  // namespace attn
