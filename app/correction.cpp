#include "correction.hpp"

#include <algorithm>

#include "commands/words.hpp"
#include "own_words/spelling.hpp"
#include "parameters.hpp"
#include "text/lists.hpp"
#include "words/first_guesses.hpp"

namespace attn {

namespace {

// True for an option of some command that takes a value.
bool has_value_elsewhere(std::string_view name) {
    return std::ranges::any_of(commands(), [&](const Command& command) {
        const Declaration declared(command);
        const OptionRow* const row = declared.find(name);
        return row != nullptr && !row->type.empty();
    });
}

// Replaces the value of an option, if `wrong` names both: `--out -`. Returns false for other corrections.
bool replace_value(std::vector<std::string>& arguments, const std::string& wrong, const std::string& right,
                   const Declaration& known) {
    const std::size_t blank = std::min(wrong.find(' '), wrong.size());
    const std::string name = wrong.substr(0, blank);
    const std::string value = wrong.substr(std::min(blank + 1, wrong.size()));
    const auto names_it = [&](const std::string& argument) {
        const OptionRow* const row = known.find(argument);
        return row != nullptr && row->name == name;
    };
    for (std::size_t i = 0; is_option(wrong) && !value.empty() && i < arguments.size(); ++i) {
        const std::size_t sign = arguments[i].find('=');
        if (arguments[i] == value && i > 0 && names_it(arguments[i - 1])) {
            arguments[i] = right;
            return true;
        }
        if (sign != std::string::npos && arguments[i].substr(sign + 1) == value &&
            names_it(arguments[i].substr(0, sign))) {
            arguments[i].replace(sign + 1, std::string::npos, right);
            return true;
        }
    }
    return false;
}

}  // namespace

std::string corrected_line(const std::vector<std::string>& arguments, const Message::Correction& correction,
                           const Declaration& known) {
    const std::string& wrong = correction.wrong;
    const std::string& right = correction.right;
    if (right.starts_with("attn-walkthrough ")) {
        return right;
    }
    const auto is_wrong = [&](const std::string& argument) {
        return argument == wrong || argument.starts_with(wrong + "=");
    };
    const auto contains_wrong = [&](const std::string& argument) {
        return !is_option(argument) &&
               plain_spelling(argument).find(plain_spelling(wrong)) != std::string::npos;
    };
    if (std::vector<std::string> changed = arguments; replace_value(changed, wrong, right, known)) {
        std::string line = "attn-walkthrough";
        for (const std::string& argument : changed) {
            line += " " + shell_word(argument);
        }
        return line;
    }
    auto at = wrong.empty() ? arguments.end() : std::ranges::find_if(arguments, is_wrong);
    if (is_option(wrong)) {  // of an option that is given twice, the last value counts
        for (auto other = at; other != arguments.end();
             other = std::find_if(other + 1, arguments.end(), is_wrong)) {
            at = other;
        }
    }
    if (at == arguments.end() && !wrong.empty()) {
        at = std::ranges::find_if(arguments, contains_wrong);
    }
    // If several arguments are equal, the file to write is wrong, as in --input a.json --key a.json.
    for (auto other = at; other != arguments.end(); ++other) {
        const OptionRow* const of = other != arguments.begin() ? known.find(*(other - 1)) : nullptr;
        if (*other == wrong && of != nullptr && of->group == "Files to write") {
            at = other;
            break;
        }
    }
    const bool is_missing = at == arguments.end();
    if (is_missing && (right.empty() || (!wrong.empty() && !right.starts_with(wrong + " ")))) {
        return "";
    }
    // Files of a format that cannot be written are renamed together: --out sheet.pdf --key key.pdf.
    const std::size_t dot = wrong.rfind('.');
    const bool is_renaming = dot != std::string::npos && right.starts_with(wrong.substr(0, dot) + ".");
    const auto renamed = [&](auto argument) {
        const OptionRow* const before = known.find(*(argument - 1));
        const bool is_file = before != nullptr && before->group == "Files to write";
        return is_renaming && is_file && argument->ends_with(wrong.substr(dot))
                   ? argument->substr(0, argument->rfind('.')) + right.substr(dot)
                   : *argument;
    };
    const bool is_one_word =  // also a file whose name has a blank
        is_renaming || right.starts_with(wrong + ".") || right.find(' ') == std::string::npos;
    std::string line = "attn-walkthrough";
    for (auto argument = arguments.begin(); argument != at; ++argument) {
        line += " " + shell_word(*argument);
    }
    const bool is_last = is_missing || right == "--step";  // without a value, it stands at the end
    auto rest = is_missing ? at : at + 1;
    if (!is_missing && is_option(*at)) {
        const OptionRow* const row = known.find(wrong);
        const bool has_value = at->find('=') == std::string::npos && rest != arguments.end() &&
                               !is_option(*rest) && find_command(*rest) == nullptr;
        const bool takes_value =
            row != nullptr ? !row->type.empty()
                           : has_value && (has_value_elsewhere(wrong) || !names_stage_or_step(*rest));
        const bool is_renamed = !right.empty() && right.find(' ') == std::string::npos && right != "--step";
        if (is_renamed && at->find('=') != std::string::npos) {
            line += " " + right + shell_word(at->substr(at->find('=')));
        } else if (!is_last && !right.empty()) {
            line += " " + right;
        }
        rest += has_value && takes_value && !is_renamed ? 1 : 0;
    } else if (!is_missing && is_wrong(*at)) {
        line += is_last || right.empty() ? "" : " " + (is_one_word ? shell_word(right) : right);
    } else if (!is_missing) {
        std::string whole = *at;
        const std::size_t inside = whole.find(wrong);
        line += " " +
                shell_word(inside == std::string::npos ? right : whole.replace(inside, wrong.size(), right));
    }
    for (; rest != arguments.end(); ++rest) {
        line += " " + shell_word(is_missing ? *rest : renamed(rest));
    }
    return line + (is_last ? " " + right : "");
}

std::string sample_value(const OptionRow& row) {
    const Whole* const range = std::get_if<Whole>(&row.target);
    const std::string least =
        range == nullptr ? "" : std::to_string(std::max<std::uint64_t>(range->least, 2));
    return range == nullptr ? sample_value(row.name, row.type)
                            : guess_entry("values", row.name).value_or(least);
}

std::string sample_value(std::string_view option, std::string_view type) {
    const std::vector<std::string> known = choices(type);
    return !known.empty() ? known.front()
                          : guess_entry("values", option).value_or(guess_entry("values", type).value_or("2"));
}

}  // namespace attn
