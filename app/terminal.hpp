// What is known of the terminal on the other side, and what the environment wishes of it.
#pragma once

#include <cstddef>

#include "options.hpp"
#include "views/heatmap/heatmap_text.hpp"

namespace attn {

// Columns for prose and lists: those of the terminal, but 60 to 100; 80 where standard output is none.
std::size_t text_columns();

// The same for lines that programs read, too: without end where standard output is no terminal.
std::size_t line_columns();

bool output_is_terminal();

// Whether headings and code carry colour, by the same rules as heat maps do.
bool has_colour(WhenToColour when);

// Writes to standard output: on a terminal what is longer than it through $PAGER, or less; an empty PAGER,
// and cat, are none.
void show(const Options& options, std::string_view text);

// Colours and width of heat maps on standard output. --color goes before NO_COLOR, and that before
// what the terminal can do; of no terminal it is no colour and 80 columns, or COLUMNS.
HeatmapStyle heatmap_style(WhenToColour when);

// Columns of the terminal that standard error is; 0 where it is none.
std::size_t error_columns();

}  // namespace attn
