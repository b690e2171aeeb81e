// What is known of the terminal on the other side.
#pragma once

#include <cstddef>

namespace attn {

// Columns for the help: those of the terminal, but 60 to 100; 80 where standard output is none.
std::size_t help_columns();

bool standard_error_is_terminal();

}  // namespace attn
