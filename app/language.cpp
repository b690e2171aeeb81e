#include "language.hpp"

#include <cstdlib>

namespace attn {

namespace {

// A locale is a language, then perhaps _territory, .codeset and @modifier.
bool is_chinese(std::string_view locale) {
    return locale.substr(0, locale.find_first_of("_.@")) == "zh";
}

}  // namespace

std::string_view language_of_environment() {
    for (const char* variable : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
        const char* const locale = std::getenv(variable);
        if (locale != nullptr && *locale != '\0') {
            return is_chinese(locale) ? "zh" : "en";
        }
    }
    return "en";
}

}  // namespace attn
