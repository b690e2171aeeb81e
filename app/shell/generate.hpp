// --generate: completions for shells, the manual page and the options as data, made from the tables the
// program itself goes by.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attn {

std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();
std::string manual_page();
// {"options": [{name, heading, kind, value, help, …}, …], "stages": [{name, title, defaults}, …]}; a kind is
// flag, number, choice, file or text.
std::string options_json(std::string_view language);

// What --generate takes: complete-bash, complete-zsh, …
std::vector<std::string_view> generated_names();

}  // namespace attn
