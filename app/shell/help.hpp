// What the program says about itself, for the help and the manual page.
#pragma once

#include <span>
#include <string_view>

namespace attn {

inline constexpr std::string_view summary =
    "Causal attention step by step, digit for digit as PyTorch prints it.";

struct Example {
    std::string_view command;
    std::string_view what;
};

std::span<const Example> examples();

struct ExitStatus {
    std::string_view code;
    std::string_view meaning;
};

std::span<const ExitStatus> exit_statuses();

}  // namespace attn
