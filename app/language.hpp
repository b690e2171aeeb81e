// The language of titles and notes where --lang chooses none: that of the reader's environment.
#pragma once

#include <span>
#include <string_view>

namespace attn {

// "zh" where the first of LC_ALL, LC_MESSAGES and LANG that is set and not empty names Chinese, as
// zh_CN.UTF-8 does; otherwise "en". Chinese is written in UTF-8: in a locale of another encoding, such as
// zh_CN.GBK, it is "en", too, and standard error says why.
std::string_view language_of_environment();

// The language of messages about a command line that may not be one: what --lang says, or the environment.
std::string_view language_of_messages(std::span<const char* const> arguments);

}  // namespace attn
