// --generate: completions for shells and the manual page, made from the tables the program itself goes by.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attn {

std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();
std::string manual_page();

// What --generate takes: complete-bash, complete-zsh, …
std::vector<std::string_view> generated_names();

}  // namespace attn
