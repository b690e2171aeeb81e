// The declarations of the commands, for help, manual page, completion and form.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands/declare.hpp"

namespace attn {

inline constexpr std::string_view program_summary =
    "Causal attention step by step, digit for digit as PyTorch prints it.";

// The options of a command, in the order it declares them.
std::vector<const CLI::Option*> declared_options(const Command& command);

// N, torch|numpy|cpp; empty for a switch.
std::string type_of(const CLI::Option& option);

// `--seed N`
std::string invocation(const CLI::Option& option);

// The words an option's value is one of, `torch|numpy|cpp`: those in lower case.
std::vector<std::string> literal_values(const CLI::Option& option);

}  // namespace attn
