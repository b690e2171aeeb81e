// The program's words about itself.
#pragma once

#include <string>

namespace attn {

std::string version_text();
std::string short_help_text();  // examples and stages
std::string help_text();        // all options
std::string stage_list();       // --list

}  // namespace attn
