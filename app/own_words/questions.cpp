// Words about questions: numbers of them, steps, and the options in a sheet.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "answers/exercise_words.hpp"
#include "answers/file_use.hpp"
#include "commands/words.hpp"
#include "files/source.hpp"
#include "files/system.hpp"
#include "make_trace.hpp"
#include "own_words/passes.hpp"
#include "parameters.hpp"
#include "spelling.hpp"
#include "tensor/error.hpp"
#include "text/ascii.hpp"
#include "text/decimal.hpp"
#include "text/lists.hpp"
#include "text/numbered.hpp"
#include "text/split.hpp"
#include "views/document/made_by.hpp"
#include "words/documents.hpp"
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
    return row != nullptr && row->names != Names::input_file && row->names != Names::output_file &&
           !row->group.empty();
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

// True for a notebook or a folder, which diagnose judges, without answers.
bool hands_in_code(const GuessedLine& line) {
    const auto has_answers = [](const std::string& file) { return is_answer_file(file) || is_sheet(file); };
    return !line.has_word(has_answers) && line.has_word([&](const std::string& word) {
        return kind_of(word) == FileKind::folder ? std::ranges::none_of(files_in(word), has_answers)
                                                 : lowered(word).ends_with(".ipynb");
    });
}

// Returns the number of questions that a word names: 10 for `10`, `ten` and `十道题`. Returns an empty text
// for other words.
std::string count_in(const std::string& word) {
    std::uint64_t whole = 0;
    if (read_whole(word, whole)) {
        return word;
    }
    if (!word.ends_with("题")) {
        return guess_entry("numbers", word).value_or("");
    }
    std::string count(number_in(word));
    std::size_t longest = 0;  // 二十 also contains 十
    for (const auto& [figure, number] : guess_entries("numbers")) {
        if (contains(word, figure) && figure.size() > longest) {
            longest = figure.size();
            count = number;
        }
    }
    return count;
}

}  // namespace

void take_key(GuessedLine& line) {
    if (line.is_command({"diagnose"}) && line.has_word(is_sheet)) {
        line.rename_command("grade");
    }
    if (line.is_command({"grade"}) && !line.has_option({"--key"}) && hands_in_code(line)) {
        line.rename_command("diagnose");
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
        const OptionRow* const row = find_option(*one);
        const bool has_value = row != nullptr && !row->type.empty() && one + 1 != in_sheet->end();
        if (!is_option(*one) || !line.has_option({up_to(*one, "=")})) {  // the command line comes first
            words.push_back({*one, !is_option(*one)});
            if (has_value) {
                words.push_back({one[1]});
            }
        }
        one += has_value ? 1 : 0;
    }
    if (std::ranges::all_of(words, chooses_questions, &Argument::text)) {
        all.insert(all.erase(key, key + 2), words.begin(), words.end());
        std::erase_if(all, [&](const Argument& one) {  // the questions are about the stages of the sheet
            return one.is_word && names_stage(one.text) && !contains(words, one.text, &Argument::text);
        });
    }
}

void take_exercise(GuessedLine& line) {
    std::vector<Argument>& all = line.arguments;
    const auto is_beside_command = [&](const Argument& one) {
        return one.is_word && one.text != line.command && kind_of(one.text) == FileKind::none;
    };
    if (line.is_command({"explain", "help"})) {
        std::string question;
        for (const Argument& one : all) {
            question += is_beside_command(one) ? one.text + " " : "";
        }
        const std::optional<ExerciseName> named = find_exercise(question);
        if (!named || stage_of_exercise(named->number).empty()) {
            return;
        }
        std::erase_if(all, is_beside_command);
        line.rename_command("exercises");
        const auto command = std::ranges::find(all, line.command, &Argument::text);
        all.insert(command == all.end() ? command : command + 1, {named->number, true});
        return;
    }
    if (!line.command.empty() && !line.is_command({"walk", "list", "quiz", "exercises", "grade"})) {
        return;
    }
    // Other commands take only the name of an exercise, because a sentence can be walked.
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::string text;
        for (std::size_t end = i; end < std::min(i + 3, all.size()) && is_beside_command(all[end]); ++end) {
            text += (text.empty() ? "" : " ") + all[end].text;
            const std::optional<ExerciseName> named = find_exercise(text);
            if (!named || named->begin > 0 || named->end < text.size() ||
                stage_of_exercise(named->number).empty()) {
                continue;
            }
            line.erase(i, end + 1 - i);
            all.insert(all.begin() + std::ptrdiff_t(i), {named->number, true});
            if (line.command.empty()) {
                line.command = "exercises";
                all.insert(all.begin() + std::ptrdiff_t(i), {line.command, true});
            } else if (!line.is_command({"exercises", "grade"})) {
                line.rename_command("exercises");
            }
            return;
        }
    }
}

void take_words_about_questions(GuessedLine& line) {
    if (line.is_command({"grade"})) {
        std::erase_if(line.arguments, [](const Argument& one) {
            const std::string text = lowered(one.text);
            return one.is_word && kind_of(one.text) == FileKind::none &&
                   (is_guess("fillers", text) || is_guess("words about answers", text));
        });
        for (std::size_t i = 0; i < line.arguments.size(); ++i) {
            const auto& [text, is_word] = line.arguments[i];
            const std::string step = is_word && !names_stage(text) ? usual_step(text) : "";
            if (!step.empty() && kind_of(text) == FileKind::none) {
                line.replace(i, "--step " + step);
            }
        }
    }
    if (!line.is_command({"quiz", "exercises"})) {
        return;
    }
    for (std::size_t i = 0; i < line.arguments.size(); ++i) {
        const std::string text = lowered(line.arguments[i].text);
        if (!line.arguments[i].is_word || text == line.command || names_stage(text) ||
            take_bare_option(line, i)) {
            continue;
        }
        const std::string count = contains(documents(), text) ? "" : count_in(text);
        const auto with_key = guess_entry("without a value", "--" + text);
        const std::string step = usual_step(line.arguments[i].text);
        if (!count.empty()) {
            line.replace(i, "--count " + count);
        } else if (with_key && with_key->starts_with("--key") && line.is_command({"exercises"})) {
            line.replace(i, line.has_option({"--key"}) ? "" : *with_key);
        } else if (is_guess("words about questions", text) || is_guess("fillers", text) ||
                   text.ends_with("题")) {
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
