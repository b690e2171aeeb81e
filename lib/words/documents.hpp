// The documents that stages follow, and the book's sections of each stage.
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

// Returns the first stage of a section, `3.5` or `3.5.1`, in reading order; null if there is none.
const Stage* stage_of_section(std::string_view section);

}  // namespace attn
