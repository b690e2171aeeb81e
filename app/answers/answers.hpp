// The answers that a walk needs, too. The program that run.sh builds first only walks through stages. In it,
// not_here.cpp takes the place of this folder and of own_words/. It ends with exit code 3 where an answer is
// missing, and run.sh builds the whole program.
#pragma once

#include <span>
#include <string>

#include "command_line.hpp"
#include "options.hpp"
#include "tensor/error.hpp"

namespace attn {

// Returns the message of an error in the reader's language, and the command line to type instead on a line of
// its own, if one is accepted.
std::string refusal_text(const CommandLine& line, const Error& error);

// The formats that --out writes, one row each. The program that is built first has only JSON.
std::span<const FileFormat> formats();

}  // namespace attn
