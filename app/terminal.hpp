// The terminal's properties, the environment's settings for it, and long text shown there.
#pragma once

#include <cstddef>

#include "options.hpp"
#include "views/heatmap/heatmap_text.hpp"

namespace attn {

// Columns for prose and lists: those of the terminal, but 60 to 100; 80 where standard output is none.
std::size_t text_columns();

// The same for lines that programs also read: unlimited unless standard output is a terminal.
std::size_t line_columns();

bool output_is_terminal();

// Writes to standard output. On a terminal, longer text goes through $PAGER, or less; an empty PAGER, or cat,
// turns paging off.
void show(const Options& options, std::string_view text);

// Colours, of headings and code as well, and width of heat maps on standard output. --color takes precedence
// over NO_COLOR, and NO_COLOR over the terminal. Without a terminal: no colour, and 80 columns.
HeatmapStyle heatmap_style(WhenToColour when);

}  // namespace attn
