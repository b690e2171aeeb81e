// The documents the stages follow, and the sections of the book that they stand in.
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

// A line for each: what it is, in a reader's words.
std::string document_entries(std::span<const std::string> names, const Words& phrases, std::size_t columns);

// The book's sections of a stage, `3.5.1, 3.5.2`; empty for what the book has not.
std::string book_sections(std::string_view stage);

// The first stage of a section of the book, `3.5` or `3.5.1`, in reading order; null where it has none.
const Stage* stage_of_section(std::string_view section);

}  // namespace attn
