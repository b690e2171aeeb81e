#include "language.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>

#include "text/printable.hpp"

namespace attn {

namespace {

// The first of these variables that is set and not empty.
std::string_view first_set(std::initializer_list<const char*> variables) {
    for (const char* variable : variables) {
        const char* const value = std::getenv(variable);
        if (value != nullptr && *value != '\0') {
            return value;
        }
    }
    return "";
}

// A locale is a language, then perhaps _territory, .codeset and @modifier.
bool is_chinese(std::string_view locale) {
    return locale.substr(0, locale.find_first_of("_.@")) == "zh";
}

// zh_CN.GBK, but neither zh_CN.UTF-8 nor zh_CN, which does not say.
bool has_other_encoding(std::string_view locale) {
    const std::size_t dot = locale.find('.');
    if (dot == std::string_view::npos) {
        return false;
    }
    std::string codeset(locale.substr(dot + 1, locale.find('@') - dot - 1));
    std::erase(codeset, '-');
    std::ranges::transform(codeset, codeset.begin(), [](unsigned char c) { return std::tolower(c); });
    return codeset != "utf8";
}

}  // namespace

std::string_view language_of_environment() {
    if (!is_chinese(first_set({"LC_ALL", "LC_MESSAGES", "LANG"}))) {
        return "en";
    }
    const std::string_view encoding = first_set({"LC_ALL", "LC_CTYPE", "LANG"});
    if (!has_other_encoding(encoding)) {
        return "zh";
    }
    std::fprintf(
        stderr,
        "attn-walkthrough: Chinese is written in UTF-8, and the locale %s is not; so this is English. "
        "--lang zh writes Chinese all the same.\n",
        printable(encoding).c_str());
    return "en";
}

}  // namespace attn
