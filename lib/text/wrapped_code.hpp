// Breaks long lines of code for a narrow terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attn {

// Breaks the lines of a statement that have more than `columns` bytes: after commas and `=`, and before other
// operators. The rest is indented by four more spaces. Python needs a backslash for a break outside brackets.
// A line without such a place stays long.
std::string wrapped_code(std::string_view statement, std::size_t columns, bool is_python);

}  // namespace attn
