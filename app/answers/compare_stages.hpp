// Compares two stages with each other.
#pragma once

#include "commands/command.hpp"

namespace attn {

// Shows the settings and steps in which the two chosen stages differ.
ExitCode compare_two_stages(const Options& options);

}  // namespace attn
