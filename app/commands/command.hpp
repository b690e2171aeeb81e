// A command: its texts, its options, and the function that runs it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"

namespace attn {

struct Declaration;

enum class ExitCode { agrees = 0, differs = 1, trouble = 2 };

// A command line and its description.
struct Example {
    std::string_view command;
    std::string_view what;
};

struct Command {
    std::string_view name;
    std::string_view summary;     // one sentence for the help
    std::string_view words = "";  // the other words of the command line, as in the usage: [STAGE…]
    bool takes_stages = true;     // true: the words can name stages
    std::vector<Example> examples = {};
    std::function<void(Declaration&)> declare;  // see declaring()
};

// All commands in the order of the help. The last ones are hidden, from version on: it is --version, and the
// others are for completions and the browser program. Defined in answers/commands.cpp.
std::span<const Command> all_commands();
// The commands that the help shows.
std::span<const Command> commands();
// Returns a command by its name, hidden commands included; null if there is none.
const Command* find_command(std::string_view name);

// Returns the first word that names a command; the end if there is none.
std::vector<std::string>::const_iterator first_command(const std::vector<std::string>& words);

}  // namespace attn
