// Words without dashes. Each reader takes one kind of word, or leaves it to the next reader.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "commands/words.hpp"
#include "exports.hpp"
#include "files/system.hpp"
#include "make_trace.hpp"
#include "own_words/passes.hpp"
#include "spelling.hpp"
#include "stages/shipped.hpp"
#include "text/ascii.hpp"
#include "text/decimal.hpp"
#include "text/lists.hpp"
#include "text/split.hpp"
#include "text/utf8.hpp"
#include "words/first_guesses.hpp"

namespace attn {

namespace {

bool has_chinese(std::string_view word) {
    for (std::size_t at = 0; at < word.size();) {
        const CodePoint next = decode_utf8(word, at);
        if (next.valid && next.value >= 0x4E00 && next.value <= 0x9FFF) {
            return true;
        }
        at += next.length;
    }
    return false;
}

bool names_step(const Argument& one) {
    return one.is_word && !names_stage(one.text) && !usual_step(one.text).empty();
}

// W_query.grad, grad_W_query and dW_query are the step W_query_grad; explain reads the first, too.
std::string with_gradient_name(const std::string& word, bool explains) {
    constexpr std::string_view grad = ".grad";
    if (word.ends_with(grad)) {
        return explains ? word : word.substr(0, word.size() - grad.size()) + "_grad";
    }
    for (const std::string_view before : {"grad_", "dL/d", "d"}) {
        const std::string rest = word.substr(word.starts_with(before) ? before.size() : word.size());
        const bool is_name = before != "d" || (!rest.empty() && !is_lower(rest[0]) && rest[0] != '_');
        const std::string step =
            is_name && !rest.empty() && kind_of(word) == FileKind::none ? usual_step(rest) : "";
        if (!step.empty()) {
            return step + "_grad";
        }
    }
    return word;
}

// Reads `gradient of keys` and `gradient causal keys` as keys_grad.
bool take_gradient_of(GuessedLine& line, std::size_t& at) {
    if (guess_entry("options", "--" + lowered(line.arguments[at].text)) != "--backward") {
        return false;
    }
    const auto behind = line.arguments.begin() + std::ptrdiff_t(at) + 1;
    const auto step = std::find_if(behind, line.arguments.end(), names_step);
    if (step == line.arguments.end()) {
        return false;
    }
    step->text = usual_step(step->text) + "_grad";
    line.erase(at--);
    return true;
}

// Reads `without mask` and `no dropout` as --no-mask and --no-dropout.
bool take_negated_option(GuessedLine& line, std::size_t& at) {
    if (!is_guess("words for no", lowered(line.arguments[at].text)) || at + 1 >= line.arguments.size()) {
        return false;
    }
    const std::string option = "--no-" + plain_spelling(line.arguments[at + 1].text);
    const auto meant = guess_entry("options", option);
    const Stage* const stage = stage_of_option(option);
    line.erase(at);
    if (stage != nullptr) {
        line.stage_asked = stage->name;
        line.arguments[at] = {line.stage_asked, true};
    } else {
        line.replace(at, meant.value_or(option));
    }
    return true;
}

// Reads `5 to 8` as 5-8, and `first 3 steps` as 1-3.
bool take_range(GuessedLine& line, std::size_t& at) {
    std::vector<Argument>& all = line.arguments;
    const auto is_number = [&](std::size_t i) {
        std::uint64_t number = 0;
        return i < all.size() && all[i].is_word && read_whole(all[i].text, number);
    };
    const std::string text = lowered(all[at].text);
    if (text == "first" && is_number(at + 1)) {
        all[at + 1].text = "1-" + all[at + 1].text;
        line.erase(at);
        if (at + 1 < all.size() && lowered(all[at + 1].text).starts_with("step")) {
            line.erase(at + 1);
        }
        return true;
    }
    if (!is_guess("words for a range", text) || at == 0 || !is_number(at - 1) || !is_number(at + 1)) {
        return false;
    }
    all[at - 1].text += "-" + all[at + 1].text;
    line.erase(at, 2);
    return true;
}

// Takes a token of the built-in lesson beside a step: `causal keys journey` asks for this row.
bool take_token(GuessedLine& line, std::size_t& at) {
    const std::string& word = line.arguments[at].text;
    const std::vector<std::string>& tokens = built_in_lesson().tokens;
    if (line.has_own_inputs() || !contains(tokens, word) || is_guess("fillers", word) || word == "step" ||
        !line.has_word(
            [](const std::string& one) { return !names_stage(one) && names_stage_or_step(one); })) {
        return false;
    }
    line.replace(at, "--rows " + word);
    return true;
}

// Takes `heatmap` for --heatmap, and what means an option with its value, such as `zh`. Other
// words of list are searched for: `list grad`.
bool take_switch(GuessedLine& line, std::size_t& at) {
    const std::string option = "--" + lowered(line.arguments[at].text);
    const std::string meant = guess_entry("options", option).value_or("");
    const auto is_switch = [](std::string_view name) {
        const OptionRow* const row = find_option(name);
        return row != nullptr && row->type.empty();
    };
    const std::string& taken = is_switch(option) ? option : meant;
    const bool is_searched =
        line.is_command({"list"}) && Declaration(*find_command("list")).find(up_to(taken, " ")) == nullptr;
    if (is_searched || (!is_switch(taken) && !contains(taken, ' '))) {
        return false;
    }
    line.replace(at, taken);
    return true;
}

// Takes a command behind other words.
bool take_later_command(GuessedLine& line, std::size_t& at) {
    const auto meant = guess_entry("commands", lowered(line.arguments[at].text));
    const auto first = std::ranges::find_if(line.arguments, &Argument::is_word);
    if (!meant || !line.command.empty() || first == line.arguments.begin() + std::ptrdiff_t(at)) {
        return false;
    }
    line.replace(at, *meant);
    line.command = line.arguments[at].text;
    return true;
}

bool take_file_to_write(GuessedLine& line, std::size_t& at) {
    const FileFormat* const format = format_of_suffix(line.arguments[at].text);
    const bool asks_to_write = std::ranges::any_of(
        line.typed, [](const std::string& word) { return is_guess("words before a file to write", word); });
    if (format == nullptr || line.is_command({"diagnose"}) ||
        !(is_guess("only written", format->suffix) || asks_to_write)) {
        return false;
    }
    line.replace(at, "--out " + line.arguments[at].text);
    return true;
}

// Drops words such as `to`, and another word for the command.
bool drop_filler(GuessedLine& line, std::size_t& at) {
    const std::string text = lowered(line.arguments[at].text);
    const bool says_nothing = is_guess("fillers", text) || guess_entry("commands", text) == line.command;
    if (!says_nothing || std::ranges::count_if(line.arguments, &Argument::is_word) < 2) {
        return false;
    }
    line.erase(at--);
    return true;
}

// The readers of words in the order in which they are tried.
constexpr std::array readers_of_words = {take_gradient_of,   take_negated_option, take_range,
                                         take_bare_option,   take_token,          take_switch,
                                         take_later_command, take_file_to_write,  drop_filler};

}  // namespace

void take_word(GuessedLine& line, const std::string& word) {
    const std::size_t number = std::min(word.find_first_of("0123456789"), word.size());
    const std::string before = lowered(word.substr(0, number));
    const bool is_command = find_command(before) != nullptr || guess_entry("commands", before);
    if (is_command && number < word.size() && !guess_entry("commands", lowered(word)) &&
        word.find_first_not_of("0123456789.", number) == std::string::npos &&
        kind_of(word) == FileKind::none) {
        line.is_chinese = line.is_chinese || has_chinese(word);
        line.arguments.push_back({word.substr(0, number), true});
        line.arguments.push_back({word.substr(number), true});
        return;
    }
    // A name or a question; with blanks and without `explain`, a sentence to walk through.
    const bool explains = line.is_command({"explain"});
    const bool is_asked = explains || !contains(word, ' ');
    line.is_chinese = line.is_chinese || (is_asked && has_chinese(word) && kind_of(word) == FileKind::none);
    line.arguments.push_back({with_gradient_name(word, explains), true});
}

bool take_bare_option(GuessedLine& line, std::size_t& at) {
    std::vector<Argument>& all = line.arguments;
    const std::string word = all[at].text;
    const std::size_t sign = word.find('=');
    const bool is_beside = sign != std::string::npos;
    if (!is_beside && (at + 1 >= all.size() || !all[at + 1].is_word)) {
        return false;
    }
    const std::string name = usual_name("--" + word.substr(0, sign));
    const std::string meant = guess_entry("options", name).value_or(name);
    const OptionRow* const row = find_option(meant);
    const std::string value = is_beside ? word.substr(sign + 1) : all[at + 1].text;
    if (row == nullptr || row->type.empty() || row->takes_words || row->names == Names::step) {
        return false;
    }
    const std::vector<std::string> values = choices(row->type);
    double number = 0.0;
    const bool names_row = row->names == Names::token && !names_stage_or_step(value) &&
                           find_command(value) == nullptr && kind_of(value) == FileKind::none &&
                           !is_guess("fillers", lowered(value));
    if (!names_row && !contains(values, lowered(value)) && read_double(value, number) != value.size()) {
        return false;
    }
    all[at] = {meant};
    if (is_beside) {
        all.insert(all.begin() + std::ptrdiff_t(at) + 1, {value});
    } else {
        all[at + 1].is_word = false;
    }
    return true;
}

void take_loose_words(GuessedLine& line) {
    if (!line.command.empty() && !line.is_command({"walk", "list", "diagnose", "compare"})) {
        return;
    }
    for (std::size_t i = 0; i < line.arguments.size(); ++i) {
        const Argument& one = line.arguments[i];
        if (one.is_word && !one.text.starts_with('-') && find_command(lowered(one.text)) == nullptr &&
            kind_of(one.text) == FileKind::none && !names_stage_or_step(one.text)) {
            for (auto* const reader : readers_of_words) {
                if (reader(line, i)) {
                    break;
                }
            }
        }
    }
}

}  // namespace attn
