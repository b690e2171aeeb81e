// A document as Markdown: CommonMark, with formulas between dollar signs as in GitHub and Jupyter.
#pragma once

#include <string>
#include <string_view>

#include "views/document/blocks.hpp"
#include "words/words.hpp"

namespace attn {

// Returns a block as text.
std::string markdown(const Block& block, const Words& phrases);
// Returns a drawing between fences.
std::string markdown_drawing(std::string_view drawing);

void write_markdown(const WriteBytes& write, const Blocks& blocks, const Style& style);

}  // namespace attn
