// The language of titles and notes: --lang, or that of the reader's environment.
#pragma once

#include <string>
#include <string_view>

namespace attn {

// "zh" where the first of LC_ALL, LC_MESSAGES and LANG that is set and not empty names Chinese, as
// zh_CN.UTF-8 does; otherwise "en".
std::string_view language_of_environment();

// The value of --lang. Throws Error for any other than en and zh.
std::string_view read_language(std::string_view text);

}  // namespace attn
