// Words about questions: numbers of them, steps, and the options in a sheet.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "commands/words.hpp"
#include "file_use.hpp"
#include "files/source.hpp"
#include "files/system.hpp"
#include "make_trace.hpp"
#include "own_words/passes.hpp"
#include "own_words/spelling.hpp"
#include "parameters.hpp"
#include "quiz/answer_sheet.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/decimal.hpp"
#include "text/lists.hpp"
#include "text/numbered.hpp"
#include "text/split.hpp"
#include "words/first_guesses.hpp"

namespace attn {

namespace {

// True for an argument that only chooses questions: a word, a value, or an option of exercises that reads and
// writes no file. A sheet can be anybody's.
bool chooses_questions(const std::string& argument) {
    static const Declaration exercises(*find_command("exercises"));
    if (!is_option(argument)) {
        return find_command(argument) == nullptr && argument != "--";
    }
    const OptionRow* const row = exercises.find(up_to(argument, "="));
    return row != nullptr && !contains(row->type, "FILE") && !row->group.empty();
}

// Returns the options in a sheet of exercises or its key; nothing for another file.
std::optional<std::vector<std::string>> options_in_sheet(std::string_view sheet) {
    constexpr std::size_t longest = 1000;
    constexpr std::string_view begin = "attn-walkthrough exercises";
    const std::optional<std::string> command = command_of_sheet(sheet);
    return command && command->size() <= longest && command->starts_with(begin)
               ? std::optional(words_of_shell(command->substr(begin.size())))
               : std::nullopt;
}

// Reads each sheet once, because it may come from a pipe. A sheet that cannot be read names no options; the
// option then says why.
const std::optional<std::vector<std::string>>& options_of_sheet(const std::string& path) {
    static std::map<std::string, std::optional<std::vector<std::string>>> known;
    const auto [found, is_new] = known.try_emplace(path);
    if (is_new && (path == "-" || is_file_or_pipe(path))) {
        try {
            found->second = options_in_sheet(read_source(path));
        } catch (const Error&) {
        }
    }
    return found->second;
}

// Returns the sheet that a word names, or the first one in a folder; an empty name if there is none.
std::string sheet_in(const std::string& word) {
    const std::vector<std::string> files =
        kind_of(word) == FileKind::folder ? files_in(word) : std::vector{word};
    const auto sheet = std::ranges::find_if(files, is_sheet);
    return sheet == files.end() ? "" : *sheet;
}

}  // namespace

void take_key(GuessedLine& line) {
    if (line.is_command({"diagnose"}) && line.has_word(is_sheet)) {
        line.rename_command("grade");
    }
    if (!line.is_command({"grade"})) {
        return;
    }
    std::vector<Argument>& all = line.arguments;
    const auto beside =
        std::ranges::find_if(all, [](const Argument& one) { return one.text.starts_with("--key="); });
    if (beside != all.end()) {
        const std::string file = beside->text.substr(beside->text.find('=') + 1);
        *beside = {"--key"};
        all.insert(beside + 1, {file});
    }
    auto key = std::ranges::find(all, "--key", &Argument::text);
    if (key == all.end()) {  // a sheet that is filled in is its own key
        const auto filled = line.find_word([](const std::string& word) { return !sheet_in(word).empty(); });
        if (filled == all.end()) {
            return;
        }
        key = all.insert(filled, {{"--key"}, {sheet_in(filled->text)}});
    }
    if (key + 1 == all.end()) {
        return;
    }
    const std::optional<std::vector<std::string>>& in_sheet = options_of_sheet((key + 1)->text);
    if (!in_sheet) {
        return;
    }
    std::vector<Argument> words;
    for (auto one = in_sheet->begin(); one != in_sheet->end(); ++one) {
        if (!is_option(*one) || !line.has_option({one->substr(0, one->find('='))})) {
            words.push_back({*one, !is_option(*one)});
        } else if (one->find('=') == std::string::npos && !find_option(*one)->type.empty() &&
                   one + 1 != in_sheet->end()) {
            ++one;  // the value of an option that the command line gives, too
        }
    }
    if (std::ranges::all_of(words, chooses_questions, &Argument::text)) {
        all.insert(all.erase(key, key + 2), words.begin(), words.end());
    }
}

void take_words_about_questions(GuessedLine& line) {
    if (!line.is_command({"quiz", "exercises"})) {
        return;
    }
    for (std::size_t i = 0; i < line.arguments.size(); ++i) {
        const std::string text = lowered(line.arguments[i].text);
        if (!line.arguments[i].is_word || text == line.command || names_stage(text) ||
            take_bare_option(line, i)) {
            continue;
        }
        std::uint64_t count = 0;
        const auto with_key = guess_entry("without a value", "--" + text);
        const std::string step = usual_step(line.arguments[i].text);
        if (read_whole(text, count) || text.ends_with("题")) {
            line.replace(i, "--count " + std::string(number_in(text)));
        } else if (with_key && with_key->starts_with("--key") && line.is_command({"exercises"})) {
            line.replace(i, line.has_option({"--key"}) ? "" : *with_key);
        } else if (is_guess("words about questions", text) || is_guess("fillers", text)) {
            line.erase(i--);
        } else if (is_guess("levels of questions", text)) {
            line.without_effect.push_back(text);
            line.erase(i--);
        } else if (!step.empty()) {
            line.replace(i, "--step " + step);
        }
    }
}

}  // namespace attn
