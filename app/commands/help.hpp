// Help about commands and stages, laid out for a terminal.
#pragma once

#include <string>
#include <string_view>

#include "commands/command.hpp"

namespace attn {

// A name, and in a column of its own what it is, in as many lines as that takes. A name too long for its
// column has a line to itself.
std::string entry(std::string_view name, std::string_view what, std::size_t columns);
// The width of that column: narrow on a narrow terminal.
std::size_t name_columns();
// A heading with the colon of its language.
std::string group_heading(std::string_view text, std::string_view language);

// Its sentence, usage, examples, and options in groups, the rare ones last and only where all are asked for.
std::string command_help(const Command& command, std::string_view language, bool all);

// The stages in reading order, with the documents they follow.
std::string list_of_stages(std::string_view language);
// `causal · Causal attention`
std::string stage_heading(const Stage& stage, std::string_view language);
// The steps it shows without options, a line each.
std::string step_entries(const Stage& stage, std::string_view language);
// Its subject, its steps, and its parameters with their defaults.
std::string stage_help(const Stage& stage, std::string_view language);

}  // namespace attn
