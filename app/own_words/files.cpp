// Files among the words, and their formats.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "answers/file_use.hpp"
#include "files/system.hpp"
#include "own_words/passes.hpp"
#include "spelling.hpp"
#include "text/ascii.hpp"
#include "words/first_guesses.hpp"

namespace attn {

void take_format(GuessedLine& line) {
    std::vector<Argument>& all = line.arguments;
    const auto option = std::ranges::find_if(
        all, [](const Argument& one) { return is_guess("told by the suffix", one.text); });
    if (option == all.end() || option + 1 == all.end()) {
        return;
    }
    const std::string whole = option->text + " " + (option + 1)->text;
    const bool has_file = line.has_option({"--out", "-o", "--key"});
    const auto meant = guess_entry("options", option->text + " " + lowered((option + 1)->text));
    if (has_file) {
        line.without_effect.push_back(whole);
    }
    if (has_file || meant) {
        const auto next = all.erase(option, option + 2);
        std::vector<Argument> words;
        for (const std::string& one : split_at_blanks(has_file ? "" : *meant)) {
            words.push_back({one});
        }
        all.insert(next, words.begin(), words.end());
    }
}

void take_other_language(GuessedLine& line) {
    std::vector<Argument>& all = line.arguments;
    const auto script = std::ranges::find(all, "-.py", &Argument::text);
    const auto language = std::ranges::find(all, "--code", &Argument::text);
    if (script != all.end() && script != all.begin() && (script - 1)->text == "--out" &&
        language != all.end() && language + 1 != all.end() && (language + 1)->text == "cpp") {
        all.erase(script - 1, script + 1);
    }
}

void take_files(GuessedLine& line) {
    std::vector<Argument>& all = line.arguments;
    const bool is_alone = std::ranges::count_if(all, &Argument::is_word) == 1;
    std::vector<std::pair<std::size_t, FileUse>> files;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].is_word && kind_of(all[i].text) == FileKind::file) {
            files.emplace_back(i, use_of(all[i].text));
        }
    }
    const bool has_weights =
        std::ranges::any_of(files, [](const auto& file) { return file.second == FileUse::weights; });
    for (auto file = files.rbegin(); file != files.rend(); ++file) {  // places behind change
        const auto [at, content] = *file;
        const FileUse use = has_weights && content == FileUse::numbers ? FileUse::input : content;
        const std::string option = use == FileUse::input     ? "--input"
                                   : use == FileUse::weights ? "--weights"
                                   : use == FileUse::text    ? "--text"
                                                             : "";
        if (use == FileUse::weights && is_alone && lowered(all[at].text).ends_with(".safetensors")) {
            line.command = "list";
        } else if (option.empty()) {
            line.command = use == FileUse::answers ? "grade" : "diagnose";
        } else {
            all[at].is_word = false;
            all.insert(all.begin() + std::ptrdiff_t(at), {option});
        }
    }
    if (!line.command.empty()) {
        all.insert(all.begin(), {line.command, true});
    }
}

void take_weights(GuessedLine& line) {
    const auto file =
        line.find_word([](const std::string& word) { return lowered(word).ends_with(".safetensors"); });
    if (file != line.arguments.end() && line.is_command({"list", "diagnose"}) &&
        line.has_option({"--layer", "--head"}) && !line.has_option({"--weights"})) {
        file->is_word = false;
        line.arguments.insert(file, {"--weights"});
        line.rename_command("walk");
    }
}

}  // namespace attn
