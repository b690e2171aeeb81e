#include "correction.hpp"

#include <algorithm>

#include "files/system.hpp"
#include "parameters.hpp"
#include "spelling.hpp"
#include "text/lists.hpp"
#include "views/explain/cell_address.hpp"
#include "words/first_guesses.hpp"

namespace attn {

namespace {

// True for an option of some command that takes a value.
bool has_value_elsewhere(std::string_view name) {
    const OptionRow* const row = find_option(name);
    return row != nullptr && !row->type.empty();
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

bool is_wrong_word(const std::string& argument, const std::string& wrong) {
    return argument == wrong || argument.starts_with(wrong + "=");
}

using ArgumentPlace = std::vector<std::string>::const_iterator;

// Returns the wrong argument, or one that contains the wrong word; the end if there is none.
ArgumentPlace place_of(const std::vector<std::string>& arguments, const std::string& wrong,
                       const Declaration& known) {
    if (wrong.empty()) {
        return arguments.end();
    }
    ArgumentPlace found = arguments.end();
    for (auto at = arguments.begin(); at != arguments.end(); ++at) {
        const OptionRow* const of = at != arguments.begin() ? known.find(at[-1]) : nullptr;
        if (*at == wrong && of != nullptr && of->names == Names::output_file) {
            return at;  // the wrong one of equal files, as in --input a.json --key a.json
        }
        // If an option is given twice, its last value counts.
        found = is_wrong_word(*at, wrong) && (found == arguments.end() || is_option(wrong)) ? at : found;
    }
    return found != arguments.end() ? found : std::ranges::find_if(arguments, [&](const std::string& one) {
        return !is_option(one) && contains(plain_spelling(one), plain_spelling(wrong));
    });
}

// Returns the command line of these words, which are quoted already; empty ones are left out.
std::string line_of(const std::vector<std::string>& words) {
    std::string line = "attn-walkthrough";
    for (const std::string& word : words) {
        line += word.empty() ? "" : " " + word;
    }
    return line;
}

}  // namespace

std::string corrected_line(const std::vector<std::string>& arguments, const Message::Correction& correction,
                           const Declaration& known) {
    const std::string& wrong = correction.wrong;
    const std::string& right = correction.right;
    if (right.starts_with("attn-walkthrough ")) {
        return right;
    }
    if (std::vector<std::string> changed = arguments; replace_value(changed, wrong, right, known)) {
        return line_of(mapped(changed, shell_word));
    }
    const ArgumentPlace at = place_of(arguments, wrong, known);
    std::vector<std::string> words = mapped(arguments, shell_word);
    if (at == arguments.end()) {
        const bool is_addition = wrong.empty() || right.starts_with(wrong + " ");
        words.push_back(right);
        return is_addition && !right.empty() ? line_of(words) : "";
    }
    const auto place = at - arguments.begin();
    std::string& word = words[std::size_t(place)];
    word = right;
    // Files of a format that cannot be written are renamed together: --out sheet.pdf --key key.pdf.
    const std::size_t dot = wrong.rfind('.');
    const bool is_renaming = dot != std::string::npos && right.starts_with(wrong.substr(0, dot) + ".");
    for (std::size_t i = std::size_t(place) + 1; is_renaming && i < arguments.size(); ++i) {
        const OptionRow* const of = known.find(arguments[i - 1]);
        if (of != nullptr && of->names == Names::output_file && arguments[i].ends_with(wrong.substr(dot))) {
            words[i] = shell_word(arguments[i].substr(0, arguments[i].rfind('.')) + right.substr(dot));
        }
    }
    const auto help = std::ranges::find(arguments, "help");
    if (!is_option(wrong) && (is_option(right) || contains(right, " --")) && help != arguments.end()) {
        words[std::size_t(help - arguments.begin())].clear();  // options run a stage; help has none of them
    }
    if (is_option(*at)) {
        const OptionRow* const row = known.find(wrong);
        const bool is_beside = contains(*at, '=');  // the value
        const bool has_value =
            !is_beside && at + 1 != arguments.end() && !is_option(at[1]) && find_command(at[1]) == nullptr;
        const auto is_file = [](const std::string& word) { return kind_of(word) == FileKind::file; };
        const bool takes_value = row != nullptr
                                     ? !row->type.empty()
                                     : has_value && (has_value_elsewhere(wrong) || is_number(at[1])) &&
                                           (!is_file(at[1]) || std::ranges::count_if(arguments, is_file) > 1);
        const bool is_renamed = !right.empty() && !contains(right, ' ') && right != "--step";
        word += is_renamed && is_beside ? shell_word(at->substr(at->find('='))) : "";
        if (!is_renamed && has_value && takes_value) {
            words.erase(words.begin() + place + 1);
        }
    } else if (!is_wrong_word(*at, wrong)) {
        std::string whole = *at;
        const std::size_t inside = whole.find(wrong);
        word = shell_word(inside == std::string::npos ? right : whole.replace(inside, wrong.size(), right));
    } else if (is_renaming || right.starts_with(wrong + ".") || !contains(right, ' ')) {
        word = right.empty() ? "" : shell_word(right);  // also a file whose name has a blank
    }
    if (right == "--step") {  // without a value, it stands at the end
        words.erase(words.begin() + place);
        words.push_back(right);
    }
    return line_of(words);
}

std::string sample_value(const OptionRow& row) {
    const Whole* const range = std::get_if<Whole>(&row.target);
    const std::string least = range == nullptr ? guess_entry("values", row.type).value_or("2")
                                               : std::to_string(std::max<std::uint64_t>(range->least, 2));
    const std::vector<std::string> known = choices(row.type);
    return known.empty() ? guess_entry("values", row.name).value_or(least) : known.front();
}

}  // namespace attn
