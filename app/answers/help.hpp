// Help about commands and stages, laid out for a terminal.
#pragma once

#include <string>
#include <string_view>

#include "commands/command.hpp"

namespace attn {

// Writes a name, and its wrapped description in a second column. If the name is wider than its column, the
// description starts on the next line.
std::string entry(std::string_view name, std::string_view what, std::size_t columns);
// Returns the width of the column of names, which is smaller on a narrow terminal.
std::size_t name_columns();
// Returns a heading with a colon as the language writes it.
std::string group_heading(std::string_view text, std::string_view language);

// Returns the command's summary, usage, examples and options in groups. Rare options come last, and only with
// `all`.
std::string command_help(const Command& command, std::string_view language, bool all);

// Lists all stages in reading order, with the documents that they follow.
std::string list_of_stages(std::string_view language, std::string_view document = "");
// `causal · Causal attention`
std::string stage_heading(const Stage& stage, std::string_view language);
// Lists the steps that the stage shows without options, one per line.
std::string step_entries(const Stage& stage, std::string_view language);
// The stage's topic, its steps, and its parameters with their defaults.
std::string stage_help(const Stage& stage, std::string_view language);

// Returns a shape as `2×6×3`; `1` for a single number.
std::string sizes_text(const Shape& shape);

}  // namespace attn
