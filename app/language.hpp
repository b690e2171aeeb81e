// The language of the program's texts.
#pragma once

#include <string_view>

namespace attn {

// Returns the language of the first of LC_ALL, LC_MESSAGES and LANG that is set, if there is a translation
// and the locale uses UTF-8; otherwise English.
std::string_view language_of_environment();

}  // namespace attn
