#include "language.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>

#include "text/printable.hpp"
#include "words/words.hpp"

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

// The language of that name, or English.
std::string_view known_language(std::string_view name) {
    const std::vector<std::string_view> all = languages();
    const auto found = std::ranges::find(all, name);
    return found == all.end() ? all.front() : *found;
}

// A locale is a language, then perhaps _territory, .codeset and @modifier.
std::string_view wished_language() {
    const std::string_view locale = first_set({"LC_ALL", "LC_MESSAGES", "LANG"});
    return known_language(locale.substr(0, locale.find_first_of("_.@")));
}

std::string_view locale_of_encoding() {
    return first_set({"LC_ALL", "LC_CTYPE", "LANG"});
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

std::string_view language_of_messages(int argc, const char* const* argv) {
    std::string given;
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    app.add_option("--lang", given)->take_last();
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError&) {  // --lang without a value
    }
    if (!given.empty()) {
        return known_language(given);
    }
    return has_other_encoding(locale_of_encoding()) ? known_language("") : wished_language();
}

std::string_view language_of_environment() {
    const std::string_view wished = wished_language();
    const std::string_view english = known_language("");
    if (wished == english || !has_other_encoding(locale_of_encoding())) {
        return wished;
    }
    const std::string language(wished);
    std::fprintf(
        stderr,
        "attn-walkthrough: the translation for \"%s\" needs UTF-8, which the locale %s is not, so this is "
        "English; --lang %s chooses it all the same.\n",
        language.c_str(), printable(locale_of_encoding()).c_str(), language.c_str());
    return english;
}

}  // namespace attn
