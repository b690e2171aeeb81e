#include "language.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "text/lists.hpp"
#include "words/words.hpp"

namespace attn {

std::string_view language_of_environment() {
    const std::vector<std::string_view> all = languages();
    for (const char* variable : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
        const char* const value = std::getenv(variable);
        // language[_territory][.codeset][@modifier]
        if (const std::string_view locale = value == nullptr ? "" : value; !locale.empty()) {
            const bool is_utf8 = !contains(locale, '.') || contains(locale, "UTF") || contains(locale, "utf");
            const auto found = std::ranges::find(all, locale.substr(0, locale.find_first_of("_.@")));
            return found == all.end() || !is_utf8 ? all.front() : *found;
        }
    }
    return all.front();
}

}  // namespace attn
