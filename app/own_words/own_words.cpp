#include "own_words/own_words.hpp"

#include <algorithm>

#include "own_words/guessed_line.hpp"
#include "own_words/passes.hpp"
#include "spelling.hpp"
#include "text/lists.hpp"

namespace attn {

namespace {

// Reads options and words up to `--`; all that follows stays as it is.
void read_typed(GuessedLine& line) {
    constexpr std::string_view explain = "attn-walkthrough explain ";
    std::size_t at = 0;
    while (at < line.typed.size() && line.typed[at] != "--") {
        const std::string& argument = line.typed[at];
        const std::string hint = line.command == "explain" ? first_guess("hints", argument) : "";
        if (is_option(argument) && !hint.starts_with(explain)) {
            at = take_option(line, at);
            continue;
        }
        if (is_option(argument)) {  // explain -inf
            line.arguments.push_back({hint.substr(explain.size()), true});
        } else {
            take_word(line, argument);
        }
        ++at;
    }
    line.append({line.typed.begin() + std::ptrdiff_t(at), line.typed.end()});
}

OwnWords read(GuessedLine line) {
    read_typed(line);
    take_format(line);
    take_chapter(line);
    take_command(line);
    take_exercise(line);
    take_key(line);
    take_other_language(line);
    take_only_command(line);
    take_loose_words(line);
    take_words_about_questions(line);
    take_other_command(line);
    take_stage_of_options(line);
    take_head_width(line);
    take_partner(line);
    take_weights(line);
    line.append(line.at_the_end);
    return {mapped(line.arguments, &Argument::text), std::move(line.without_effect),
            line.is_chinese && !line.has_option({"--lang"})};
}

}  // namespace

OwnWords in_own_words(const std::vector<std::string>& arguments) {
    const auto named = first_command(arguments);
    constexpr std::size_t most = 40;  // nobody types so many words, and reading them takes long
    const bool is_hidden = named != arguments.end() && !contains(commands(), *named, &Command::name);
    const bool is_kept = is_hidden || arguments.size() > most;
    return is_kept ? OwnWords{arguments, {}, false} : read(GuessedLine(arguments));
}

}  // namespace attn
