// Shows the steps of a run one at a time, and lets the reader choose the next one.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "stages/trace.hpp"
#include "words/words.hpp"

namespace attn {

// Throws Error unless the program reads from a terminal and writes to one.
void require_terminal();

// Shows the shown steps as `text_of` gives them. Enter shows the next step, b the step before; a number or a
// name shows that step, and q ends.
void show_one_by_one(const Trace& trace, const Words& phrases,
                     const std::function<std::string(const StageTrace&, std::size_t step)>& text_of);

}  // namespace attn
