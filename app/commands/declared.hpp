// What commands have declared, for help, manual page, completion and form.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands/command.hpp"

namespace attn {

inline constexpr std::string_view program_summary =
    "Causal attention step by step, digit for digit as PyTorch prints it.";

struct DeclaredOption {
    std::string name;  // --seed
    std::string type;  // N; empty: a switch
    std::string help;
    std::string group;
    bool is_repeatable;
};

std::vector<DeclaredOption> declared_options(const Command& command);
// The groups of its options, in the order they first occur, the rare ones last.
std::vector<std::string> declared_groups(const Command& command);

// `--seed N`
std::string invocation(const DeclaredOption& option);

// The words an option's value is one of, `torch|numpy|cpp`: those in lower case.
std::vector<std::string> literal_values(const DeclaredOption& option);

}  // namespace attn
