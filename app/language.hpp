// The language the program speaks.
#pragma once

#include <string_view>

namespace attn {

// That of the first of LC_ALL, LC_MESSAGES and LANG that is set, if there is a translation and the locale is
// of UTF-8, in which translations are written; otherwise English.
std::string_view language_of_environment();

}  // namespace attn
