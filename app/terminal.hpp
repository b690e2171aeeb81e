// Colours, width and pager of the terminal, as the environment sets them.
#pragma once

#include <cstddef>

#include "options.hpp"
#include "views/heatmap/heatmap_text.hpp"

namespace attn {

constexpr std::size_t least_columns = 60;

// Replaces the width of the terminal: --width.
void choose_columns(std::size_t columns);

// Returns the width for prose and lists: the chosen one, or the width of the terminal, but at least 60 and at
// most 100. Without a terminal, returns 80.
std::size_t text_columns();

// Wraps text at this width.
std::string paragraph(std::string_view text);

// Returns the width of lines that programs may read, too: unlimited, unless standard output is a
// terminal or a width is chosen.
std::size_t line_columns();

bool output_is_terminal();

// Returns true if ATTN_MESSAGES=plain: another program shows the messages, without this one's name and
// without a line to type.
bool messages_are_plain();

// Writes to standard output. On a terminal, a long text is shown in $PAGER, or in less. An empty PAGER, or
// "cat", turns the pager off.
void show(const Options& options, std::string_view text);
// Writes to standard output, except in a rehearsal.
void write_answer(const Options& options, std::string_view text);

// Returns the kind of colours for all output, and the width for heat maps. --color takes precedence over
// NO_COLOR, and NO_COLOR over the terminal. Without a terminal there are no colours, and 80 columns.
HeatmapStyle heatmap_style(WhenToColour when);

}  // namespace attn
