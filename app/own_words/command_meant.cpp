// The command that words mean.
#include <algorithm>
#include <string>
#include <vector>

#include "answers/file_use.hpp"
#include "commands/words.hpp"
#include "exports.hpp"
#include "files/system.hpp"
#include "make_trace.hpp"
#include "own_words/passes.hpp"
#include "spelling.hpp"
#include "text/ascii.hpp"
#include "text/decimal.hpp"
#include "text/lists.hpp"
#include "text/split.hpp"
#include "views/explain/cell_address.hpp"
#include "words/first_guesses.hpp"
#include "words/notions.hpp"

namespace attn {

namespace {

// True if the words name no command and no stage, but a notion or a step.
bool asks_about_notion(const GuessedLine& line) {
    std::vector<std::string> others;
    for (const Argument& one : line.arguments) {
        if (one.is_word && find_command(one.text) == nullptr) {
            others.push_back(one.text);
        }
    }
    return others.size() == 1 && !names_stage(others.front()) &&
           (find_notion(others.front()) || names_stage_or_step(others.front()));
}

bool names_only_weights(const GuessedLine& line) {
    return line.has_word([](const std::string& word) {
        return lowered(word).ends_with(".safetensors") && kind_of(word) == FileKind::file &&
               use_of(word) == FileUse::weights;
    });
}

// True if the first word begins a question, as `why` does.
bool begins_question(const std::string& text) {
    return std::ranges::any_of(guess_entries("commands"), [&](const auto& one) {
        const bool is_sentence = text.size() > one.first.size() && text.starts_with(one.first) &&
                                 (text[one.first.size()] == ' ' || !is_lower(one.first.back()));
        return one.second == "explain" && is_sentence;
    });
}

// True if the line asks about a number such as 0.5517, a notion or a cell, or is a question.
bool asks_to_explain(const GuessedLine& line, const std::string& word) {
    const std::string text = lowered(word);
    double number = 0.0;  // 0.5517, and not the section 3.5
    const bool is_number =
        read_double(text, number) == text.size() && contains(text, '.') && !names_stage(text);
    const bool is_alone = std::ranges::count_if(line.arguments, &Argument::is_word) == 1;
    const bool is_notion = is_alone && !contains(text, ' ') && format_of_suffix(text) == nullptr &&
                           find_notion(text) && !names_stage(word) && usual_step(word).empty();
    const bool has_cell = line.has_word([](const std::string& cell) {
        return cell.ends_with(']') && !contains(cell, ' ') && kind_of(cell) == FileKind::none;
    });
    return begins_question(text) || is_notion || is_number || has_cell;
}

}  // namespace

void take_chapter(GuessedLine& line) {
    bool is_asked = false;
    const std::vector<Argument>& all = line.arguments;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string two = all[i].text + (i + 1 < all.size() ? all[i + 1].text : std::string());
        const std::size_t count = is_guess("the whole chapter", plain_spelling(all[i].text)) ? 1
                                  : is_guess("the whole chapter", plain_spelling(two))       ? 2
                                                                                             : 0;
        if (count > 0) {
            line.erase(i--, count);
            is_asked = true;
        }
    }
    if (is_asked && line.command.empty() && std::ranges::none_of(all, &Argument::is_word)) {
        line.command = "list";
        line.arguments.insert(line.arguments.begin(), {line.command, true});
    }
}

void take_command(GuessedLine& line) {
    auto word = std::ranges::find_if(line.arguments, &Argument::is_word);
    if (!line.command.empty() || word == line.arguments.end()) {
        return;
    }
    if (guess_entry("commands", lowered(word->text)).value_or("").starts_with("walk")) {
        const auto question = std::find_if(word, line.arguments.end(), [](const Argument& one) {
            return one.is_word && guess_entry("commands", lowered(one.text)) == "explain";
        });
        word = question != line.arguments.end() ? question : word;  // `dropout 是什么`
    }
    if (const auto known = guess_entry("commands", lowered(word->text))) {
        std::vector<Argument> words;
        for (const std::string& one : split_at_blanks(*known)) {
            words.push_back({one, !is_option(one)});
        }
        line.command = words.front().text;
        if (line.command == "diagnose" && names_only_weights(line)) {  // `inspect w.safetensors`
            line.command = words.front().text = "list";
        }
        // The first word of a question belongs to it, but not that of `why keys[1][0]`.
        const bool is_question = line.command == "explain" &&
                                 std::ranges::count_if(line.arguments, &Argument::is_word) > 3 &&
                                 !line.has_word([](const std::string& one) { return contains(one, '['); });
        line.arguments.insert(is_question ? word : line.arguments.erase(word), words.begin(), words.end());
    } else if (line.has_word([](const std::string& file) {
                   return contains(file, '.') && kind_of(file) == FileKind::file;
               })) {
        take_files(line);
    } else if (asks_to_explain(line, word->text) || word->text.ends_with("题")) {
        line.command = word->text.ends_with("题") ? "quiz" : "explain";
        line.arguments.insert(word, {line.command, true});
    }
}

void take_only_command(GuessedLine& line) {
    std::vector<Argument>& all = line.arguments;
    const auto other = line.find_word([&](const std::string& word) {
        return word != line.command && word != "walk" && find_command(word) != nullptr;
    });
    if (line.is_command({"walk", "list"}) && other != all.end()) {
        const std::string name = other->text;
        all.erase(std::ranges::find(all, line.command, &Argument::text));
        line.command = name;
    }
    const auto first = std::ranges::find_if(all, &Argument::is_word);
    const std::string meant =
        first == all.end() ? "" : guess_entry("commands", lowered(first->text)).value_or("");
    if (!line.command.empty() && (meant == "walk" || meant == "list") && first->text != line.command) {
        all.erase(first);
    }
}

void take_partner(GuessedLine& line) {
    const std::string partner = guess_entry("partners", line.command).value_or("");
    const auto has_all = [&](std::string_view name) {
        const Declaration declared(*find_command(name));
        return std::ranges::all_of(line.arguments, [&](const Argument& one) {
            // Only explain answers a cell or a number.
            return one.is_word ? !contains(one.text, '[') && !(contains(one.text, '.') && is_number(one.text))
                               : !is_option(one.text) || declared.find(up_to(one.text, "=")) != nullptr;
        });
    };
    const bool has_file =
        line.has_word([](const std::string& word) { return word == "-" || contains(word, '.'); });
    const bool is_possible = partner != "diagnose" || has_file;  // which needs a file
    if (!partner.empty() && is_possible && !has_all(line.command) && has_all(partner)) {
        line.rename_command(partner);
    }
}

void take_other_command(GuessedLine& line) {
    if (line.is_command({"help"}) && asks_about_notion(line)) {
        line.rename_command("explain");
    }
    const std::size_t count = line.arguments.size();
    if (line.command.empty() && (count == 1 || count == 2) && line.arguments[0].text.starts_with("--lang")) {
        line.arguments.insert(line.arguments.begin(), {"help", true});
    }
}

}  // namespace attn
