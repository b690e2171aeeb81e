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

bool wants_chinese() {
    return is_chinese(first_set({"LC_ALL", "LC_MESSAGES", "LANG"}));
}

std::string_view encoding() {
    return first_set({"LC_ALL", "LC_CTYPE", "LANG"});
}

}  // namespace

std::string_view language_of_messages(std::span<const char* const> arguments) {
    constexpr std::string_view option = "--lang";
    std::string_view given;
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const std::string_view word = arguments[i];
        if (word.starts_with(option) && word.substr(option.size()).starts_with('=')) {
            given = word.substr(option.size() + 1);
        } else if (word == option && i + 1 < arguments.size()) {
            given = arguments[i + 1];
        }
    }
    if (given.empty()) {
        return wants_chinese() && !has_other_encoding(encoding()) ? "zh" : "en";
    }
    return given == "zh" ? "zh" : "en";
}

std::string_view language_of_environment() {
    if (!wants_chinese()) {
        return "en";
    }
    if (!has_other_encoding(encoding())) {
        return "zh";
    }
    std::fprintf(
        stderr,
        "attn-walkthrough: Chinese is written in UTF-8, and the locale %s is not; so this is English. "
        "--lang zh writes Chinese all the same.\n",
        printable(encoding()).c_str());
    return "en";
}

}  // namespace attn
