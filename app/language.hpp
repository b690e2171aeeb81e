// The language the program speaks.
#pragma once

#include <string_view>

namespace attn {

// That of the first of LC_ALL, LC_MESSAGES and LANG that is set, if there is a translation; otherwise
// English, the first of languages(). Translations are written in UTF-8: in a locale of another encoding, such
// as zh_CN.GBK, it is English, and standard error says why.
std::string_view language_of_environment();

// The language of messages about a command line that could not be parsed: that of --lang, or as above.
std::string_view language_of_messages(int argc, const char* const* argv);

}  // namespace attn
