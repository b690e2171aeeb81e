#include "own_words/guessed_line.hpp"

#include <algorithm>

#include "spelling.hpp"
#include "stages/catalogue.hpp"
#include "text/ascii.hpp"
#include "text/lists.hpp"
#include "text/split.hpp"
#include "words/first_guesses.hpp"

namespace attn {

GuessedLine::GuessedLine(const std::vector<std::string>& arguments) : typed(arguments) {
    const auto named = first_command(typed);
    command = named == typed.end() ? "" : *named;
    const std::string first = typed.empty() ? "" : lowered(typed.front());
    const std::string guessed = guess_entry("commands", first).value_or(first);
    subject = command.empty() ? std::string(up_to(guessed, " ")) : command;
    for (const std::string& word : typed) {  // also the dropout of `causal dropout --seed 1`
        const bool names_command = &word == typed.data() || command.empty();
        if (names_command && !guess_entries("options of " + lowered(word)).empty()) {
            subject = lowered(word);
        }
    }
}

void GuessedLine::append(const std::vector<std::string>& options) {
    for (const std::string& one : options) {
        arguments.push_back({one});
    }
}

void GuessedLine::append_stage(const Stage& stage) {
    stage_asked = stage.name;
    arguments.push_back({stage_asked, true});
}

void GuessedLine::replace(std::size_t at, std::string_view text) {
    erase(at);
    std::vector<Argument> words;
    for (const std::string& one : split_at_blanks(text)) {
        if (!contains(arguments, one, &Argument::text) || is_option(one)) {
            words.push_back({one, find_command(one) != nullptr});
        }
    }
    arguments.insert(arguments.begin() + std::ptrdiff_t(at), words.begin(), words.end());
}

void GuessedLine::erase(std::size_t at, std::size_t count) {
    const auto from = arguments.begin() + std::ptrdiff_t(at);
    arguments.erase(from, from + std::ptrdiff_t(count));
}

void GuessedLine::rename_command(std::string_view name) {
    std::ranges::find(arguments, command, &Argument::text)->text = name;
    command = name;
}

bool GuessedLine::is_command(std::initializer_list<std::string_view> names) const {
    return contains(names, command);
}

bool GuessedLine::has_option(std::initializer_list<std::string_view> names) const {
    return std::ranges::any_of(arguments,
                               [&](const Argument& one) { return contains(names, up_to(one.text, "=")); });
}

bool GuessedLine::has_own_inputs() const {
    return std::ranges::any_of(typed, [](const std::string& argument) {
        return argument.starts_with("--input") || argument.starts_with("--text");
    });
}

const Stage* stage_of_option(std::string_view option) {
    const std::string_view bare = bare_name(option);
    const Stage* const stage = find_stage(bare);
    return stage != nullptr ? stage : find_stage(first_guess("stages", bare));
}

}  // namespace attn
