// Text in Markdown: CommonMark, as GitHub and Jupyter read it.
#pragma once

#include <string>
#include <string_view>

namespace attn {

// Returns prose in which every character with a meaning in Markdown is escaped.
std::string markdown_prose(std::string_view text);
// Returns one line of code between backticks.
std::string markdown_code(std::string_view line);
// Returns lines between fences; nothing for no lines.
std::string markdown_fenced(std::string_view lines, std::string_view language);

}  // namespace attn
