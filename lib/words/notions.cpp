#include "words/notions.hpp"

#include <algorithm>
#include <utility>

#include "files/json.hpp"
#include "files/resources.hpp"
#include "text/ascii.hpp"
#include "text/lists.hpp"
#include "text/split.hpp"
#include "words/first_guesses.hpp"

namespace attn {

namespace {

constexpr std::string_view notions_file = "notions.json";

// Returns where the text contains the name, with no letter or digit directly before or after it; npos if it
// does not. Scripts without spaces have no such limits.
std::size_t find_words(std::string_view text, std::string_view name) {
    const auto ends_word = [](char a, char b) { return !is_word_character(a) || !is_word_character(b); };
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at == 0 || ends_word(text[at - 1], name.front())) &&
            (end == text.size() || ends_word(text[end], name.back()))) {
            return at;
        }
    }
    return std::string_view::npos;
}

// A name of a notion that a question contains. `taken` is the question with blanks in place of the name.
struct NotionFound {
    Notion notion;
    std::size_t parts = 0;   // of the name: "softmax … sum" has two
    std::size_t length = 0;  // of the parts
    std::size_t at = 0;
    std::string taken;
};

// Returns the name with the most parts that a question contains, and of these the longest. The parts around …
// may stand apart, in any order.
NotionFound best_name(std::string_view question) {
    NotionFound found;
    for (const auto& [key, entry] : parse_json(resource(notions_file), notions_file).members()) {
        for (const std::string& name : entry.at("names").strings()) {
            NotionFound one{{std::string(key), entry.at("stage").string(), entry.at("step").string()},
                            0,
                            0,
                            question.size(),
                            std::string(question)};
            for (const std::string_view part : split(name, " … ")) {
                const std::size_t at = find_words(one.taken, part);
                if (at == std::string_view::npos) {
                    one.parts = 0;
                    break;
                }
                one.length += part.size();
                ++one.parts;
                one.at = std::min(one.at, at);
                one.taken.replace(at, part.size(), part.size(), ' ');
            }
            if (std::pair(one.parts, one.length) > std::pair(found.parts, found.length)) {
                found = std::move(one);
            }
        }
    }
    return found;
}

// True if only words such as "and" are left of a question.
bool has_only_words_between(std::string_view question) {
    std::string word;
    for (const char c : std::string(question) + " ") {
        if (!is_one_of(c, " ,.?!/&")) {
            word += c;
        } else if (!word.empty() && !is_guess("words between notions", word)) {
            return false;
        } else {
            word.clear();
        }
    }
    return true;
}

}  // namespace

std::optional<Notion> find_notion(std::string_view question) {
    const std::vector<Notion> found = find_notions(question);
    return found.empty() ? std::nullopt : std::optional(found.front());
}

std::vector<Notion> find_notions(std::string_view question) {
    std::string text = lowered(question);
    std::vector<NotionFound> found;
    for (NotionFound next = best_name(text); next.parts > 0; next = best_name(text)) {
        text = next.taken;
        if (std::ranges::none_of(found,
                                 [&](const NotionFound& one) { return one.notion.key == next.notion.key; })) {
            found.push_back(std::move(next));
        }
    }
    if (has_only_words_between(text)) {
        std::ranges::sort(found, {}, &NotionFound::at);
    } else {
        found.resize(std::min<std::size_t>(found.size(), 1));
    }
    return mapped(found, &NotionFound::notion);
}

std::vector<std::vector<std::string>> notion_names() {
    std::vector<std::vector<std::string>> names;
    for (const auto& [key, entry] : parse_json(resource(notions_file), notions_file).members()) {
        names.push_back(entry.at("names").strings());
    }
    return names;
}

}  // namespace attn
