// argv → the command it asks for, with its words and options.
#pragma once

#include "commands/command.hpp"

namespace attn {

// Throws Error with one clear message for a command line that no command has. For --help and --help-all the
// command returned is `help`, about that command.
Command& parse_command_line(Program& program, int argc, const char* const* argv);

// Returns true if any command has an option of that name.
bool is_option(const Program& program, const std::string& name);

}  // namespace attn
