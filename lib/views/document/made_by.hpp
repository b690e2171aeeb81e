// The comment in the source of a sheet of exercises that names the command by which it was made.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attn {

std::string made_by(std::string_view command);

// Returns the command in the source of a sheet or key; nothing for another file.
std::optional<std::string> command_of_sheet(std::string_view sheet);

}  // namespace attn
