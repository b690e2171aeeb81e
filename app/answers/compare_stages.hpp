// Compares two stages with each other.
#pragma once

#include "commands/command.hpp"

namespace attn {

// Shows the settings and steps in which the two chosen stages differ. `set` has the numbers of --set.
ExitCode compare_two_stages(const RunOptions& options, const std::vector<std::string>& set = {});

}  // namespace attn
