// A tensor as tables of a page: complete without a script, and for a screen reader.
#pragma once

#include <string>
#include <string_view>

#include "notebook/notebook.hpp"
#include "tensor/tensor_text.hpp"
#include "words/words.hpp"

namespace attn {

struct TableSettings {
    const Words* words;    // of the page
    const Words* phrases;  // of all views
    PrintOptions print;
};

// One table per matrix, each with a caption and headings for rows and columns; all have one scale of colours.
// Of a large tensor the part that page_part.hpp says, and a sentence on what is left out.
std::string step_tables(const Notebook& notebook, std::size_t node, const TableSettings& settings);

}  // namespace attn
