// What editors, keyboards and typesetters do to numbers, undone: numbers of lines, decimal commas, a blank
// within a number. Every byte that stays keeps its place, so that messages point to what was pasted.
#pragma once

#include <string>

namespace attn {

// Blanks the numbers before lines where all lines that say anything have one and they count up; makes decimal
// commas points where nothing else in the text is separated by commas; closes the gap in `0 .0000`.
std::string as_printed(std::string text);

}  // namespace attn
