// Writes a command line again, without the word that was wrong.
#pragma once

#include <string>
#include <vector>

#include "commands/declare.hpp"
#include "text/message.hpp"

namespace attn {

// Returns the whole command line to type, with the words of the correction in place of the wrong one. `known`
// are the options of the command. Returns an empty text if the wrong word is not in the command line.
std::string corrected_line(const std::vector<std::string>& arguments, const Message::Correction& correction,
                           const Declaration& known);

// Returns a value for an option that lacks one, or a right one: 2 for a number, the first of several words.
std::string sample_value(const OptionRow& row);

}  // namespace attn
