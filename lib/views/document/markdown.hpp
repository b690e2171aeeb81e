// A document as Markdown: CommonMark, with formulas between dollar signs as in GitHub and Jupyter.
#pragma once

#include <string>
#include <string_view>

#include "views/document/blocks.hpp"
#include "words/words.hpp"

namespace attn {

// Returns prose in which every character with a meaning in Markdown is escaped.
std::string markdown_prose(std::string_view text);
// Returns one line of code between backticks.
std::string markdown_code(std::string_view line);
// Returns a block as text.
std::string markdown(const Block& block, const Words& phrases);
// Returns a drawing between fences.
std::string markdown_drawing(std::string_view drawing);

void write_markdown(const WriteBytes& write, const Blocks& blocks, const Style& style);

}  // namespace attn
