#include "language.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "tensor/error.hpp"
#include "text/printable.hpp"

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

std::string_view read_language(std::string_view text) {
    for (const std::string_view language : {"en", "zh"}) {
        if (text == language) {
            return language;
        }
    }
    throw Error(fmt::format("--lang: expected en or zh but received {}.", in_quotes(text)));
}

}  // namespace attn
