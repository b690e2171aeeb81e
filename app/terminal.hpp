// Properties of the terminal, and the environment's settings for it.
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

// True if headings and code carry colour, by the same rules as heat maps do.
bool has_colour(WhenToColour when);

// Writes to standard output. On a terminal, longer text goes through $PAGER, or less; an empty PAGER, or cat,
// turns paging off.
void show(const Options& options, std::string_view text);

// Colours and width of heat maps on standard output. --color takes precedence over NO_COLOR, and NO_COLOR
// over the terminal's abilities. Without a terminal: no colour, and COLUMNS or 80 columns.
HeatmapStyle heatmap_style(WhenToColour when);

// Columns of the terminal that standard error is; 0 where it is none.
std::size_t error_columns();

}  // namespace attn
