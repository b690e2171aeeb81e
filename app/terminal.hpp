// Colours, width and paging of the terminal, with the environment's settings.
#pragma once

#include <cstddef>

#include "options.hpp"
#include "views/heatmap/heatmap_text.hpp"

namespace attn {

// Returns the width for prose and lists: the width of the terminal, but at least 60 and at most 100. Without
// a terminal, returns 80.
std::size_t text_columns();

// Returns the width for lines that programs also read. It is unlimited unless standard output is a terminal.
std::size_t line_columns();

bool output_is_terminal();

// Writes to standard output. On a terminal, longer text goes through $PAGER, or less; PAGER empty or "cat"
// turns paging off.
void show(const Options& options, std::string_view text);

// Returns the colours of all output, and the width of heat maps. --color takes precedence over NO_COLOR, and
// NO_COLOR over the terminal. Without a terminal there are no colours, and 80 columns.
HeatmapStyle heatmap_style(WhenToColour when);

}  // namespace attn
