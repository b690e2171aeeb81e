// Reads names leniently. A wrong name does no harm, because names only decide which of several equal steps is
// meant.
#include "printed/names.hpp"

#include <algorithm>

#include "text/ascii.hpp"

namespace attn {

namespace {

constexpr std::size_t longest = 80;  // bytes; a longer text is a sentence, not a name
constexpr std::string_view space = " \t\r";
constexpr std::string_view parameter_heading = "Parameter containing:";

std::string_view trimmed(std::string_view text, std::string_view what = space) {
    const std::size_t first = text.find_first_not_of(what);
    return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(what) + 1 - first);
}

bool is_identifier(std::string_view text) {
    const auto fits = [](char c) { return is_word_character(c) || c == '.'; };
    return !text.empty() && std::ranges::all_of(text, fits) && text.front() > '9';
}

std::string_view without_heading(std::string_view text) {
    text.remove_suffix(text.ends_with(parameter_heading) ? parameter_heading.size() : 0);
    return trimmed(text);
}

// Removes prompts and other marks before a line: `>>>`, `In [3]:`, those of Markdown and of comments.
std::string_view without_prompt(std::string_view line) {
    line = trimmed(line, " \t\r>#|*`");
    for (const std::string_view prompt : {"In [", "Out["}) {
        const std::size_t end = line.find("]:");
        if (line.starts_with(prompt) && end != std::string_view::npos) {
            return trimmed(line.substr(end + 2));
        }
    }
    return line;
}

// Calls that print or convert their argument without changing a number.
constexpr std::string_view conversions[] = {"print",      "np.float32",   "np.array",
                                            "np.asarray", "torch.tensor", "torch.from_numpy"};

// Returns the argument of the innermost call: `keys` in `print(torch.from_numpy(np.float32(keys)))`. The
// results of all other calls have no name, as in `print(layer(inputs))`.
std::string_view printed_name(std::string_view code) {
    if (code.starts_with("print(")) {
        const std::size_t inner = code.rfind('(');
        const std::string_view before = code.substr(0, inner);
        if (std::ranges::find(conversions, before.substr(before.rfind('(') + 1)) == std::end(conversions)) {
            return "";
        }
        code = trimmed(code.substr(inner + 1, code.find(')', inner) - inner - 1));
    }
    return is_identifier(code) ? code : "";
}

// If a text ends in a quote, returns the last quoted part.
std::string_view quoted(std::string_view text) {
    const char quote = text.back();
    const std::size_t end = text.size() - 1;
    const std::size_t begin = text.substr(0, end).rfind(quote);
    return begin == std::string_view::npos ? "" : text.substr(begin + 1, end - begin - 1);
}

// A text that ends in `=` or `:` names what follows. So does a quoted key with a comma.
std::string_view leading_name(std::string_view text) {
    text = trimmed(text);
    if (text.empty() || (text.back() != '=' && text.back() != ':' && text.back() != ',')) {
        return "";
    }
    const bool comma = text.back() == ',';
    text = trimmed(text.substr(0, text.size() - 1));
    if (!text.empty() && (text.back() == '"' || text.back() == '\'')) {
        return quoted(text);
    }
    return comma ? "" : without_prompt(text);
}

// Reads the line above a tensor. A variable has a sign such as `_` in its name, or is written small.
std::string_view name_above(std::string_view line) {
    const bool is_code = line.starts_with(">>>") || line.starts_with("In [") || line.starts_with("print(");
    const std::string_view said = without_heading(without_prompt(line));
    if (const std::string_view name = printed_name(said); !name.empty()) {
        const bool is_variable = is_lower(name.front()) || name.find_first_of("_.") < name.size() - 1;
        return is_code || is_variable ? name : "";
    }
    // Code such as `with torch.no_grad():` names nothing, nor does a key whose value is on the next line.
    return line.starts_with(">>>") || said.ends_with(',') ? "" : leading_name(said);
}

}  // namespace

std::string tensor_name(std::string_view before, std::string_view above) {
    before = without_heading(trimmed(before));
    std::string_view name = without_prompt(before).empty() ? name_above(above) : leading_name(before);
    name = trimmed(name, " \t\r*`");
    return name.size() > longest ? "" : std::string(name);
}

}  // namespace attn
