#include "words/notions.hpp"

#include <algorithm>

#include "files/json.hpp"
#include "files/resources.hpp"
#include "text/ascii.hpp"

namespace attn {

namespace {

constexpr std::string_view notions_file = "notions.json";

// True if the text contains the name, with no letter or digit directly before or after it. Scripts without
// spaces have no such limits.
bool contains_words(std::string_view text, std::string_view name) {
    const auto ends_word = [](char a, char b) { return !is_word_character(a) || !is_word_character(b); };
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at == 0 || ends_word(text[at - 1], name.front())) &&
            (end == text.size() || ends_word(text[end], name.back()))) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::optional<Notion> find_notion(std::string_view question) {
    std::string text(question);
    std::ranges::transform(text, text.begin(), to_lower);
    std::optional<Notion> found;
    std::size_t longest = 0;
    for (const auto& [key, entry] : parse_json(resource(notions_file), notions_file).members()) {
        for (const std::string& name : entry.at("names").strings()) {
            if (name.size() > longest && contains_words(text, name)) {
                longest = name.size();
                found = {std::string(key), entry.at("stage").string(), entry.at("step").string()};
            }
        }
    }
    return found;
}

std::vector<std::vector<std::string>> notion_names() {
    std::vector<std::vector<std::string>> names;
    for (const auto& [key, entry] : parse_json(resource(notions_file), notions_file).members()) {
        names.push_back(entry.at("names").strings());
    }
    return names;
}

}  // namespace attn
