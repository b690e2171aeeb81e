// argv → the command it asks for, with its words and options.
#pragma once

#include "commands/command.hpp"

namespace attn {

// Throws Error with one clear message for a command line that no command has. For --help and --help-all the
// command returned is `help`, about that command.
Command& parse_command_line(Program& program, int argc, const char* const* argv);

// The value of --lang, also of a command line that was refused; empty where it is not given.
std::string given_language(Program& program);

}  // namespace attn
