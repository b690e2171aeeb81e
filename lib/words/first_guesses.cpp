#include "words/first_guesses.hpp"

#include "files/json.hpp"
#include "files/resources.hpp"
#include "text/lists.hpp"

namespace attn {

namespace {

constexpr std::string_view guesses_file = "first_guesses.json";

std::optional<JsonView> guess_list(std::string_view list) {
    static const JsonView read = parse_json(resource(guesses_file), guesses_file);
    return read.find(list);
}

}  // namespace

std::optional<std::string> guess_entry(std::string_view list, std::string_view key) {
    const std::optional<JsonView> known = guess_list(list);
    const std::optional<JsonView> found = known ? known->find(key) : std::nullopt;
    return found ? std::optional(found->string()) : std::nullopt;
}

std::vector<std::pair<std::string, std::string>> guess_entries(std::string_view list) {
    std::vector<std::pair<std::string, std::string>> entries;
    if (const std::optional<JsonView> known = guess_list(list)) {
        for (const auto& [key, word] : known->members()) {
            entries.emplace_back(key, word.string());
        }
    }
    return entries;
}

std::vector<std::string> guess_words(std::string_view list) {
    return guess_list(list)->strings();
}

bool is_guess(std::string_view list, std::string_view word) {
    return contains(guess_words(list), word);
}

}  // namespace attn
