#include "printed/retyped.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "printed/typography.hpp"
#include "text/ascii.hpp"

namespace attn {

namespace {

constexpr std::string_view blanks = " \t\r";

std::size_t digits_end(std::string_view text, std::size_t at) {
    while (at < text.size() && is_digit(text[at])) {
        ++at;
    }
    return at;
}

void blank(std::string& text, std::size_t begin, std::size_t end) {
    std::fill(text.begin() + static_cast<std::ptrdiff_t>(begin),
              text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
}

// Calls visit(begin, end) for each line that says anything, as long as that says so.
template <typename Visit>
bool visit_lines(const std::string& text, const Visit& visit) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        if (std::min(text.find_first_not_of(blanks, begin), end) < end && !visit(begin, end)) {
            return false;
        }
        begin = end + 1;
    }
    return true;
}

bool begins_number(std::string_view text) {
    const std::string_view digits = text.substr(text.starts_with('-') || text.starts_with('+') ? 1 : 0);
    return !digits.empty() && (is_digit(digits[0]) || digits[0] == '.' || digits.starts_with("inf") ||
                               digits.starts_with("nan") || digits.starts_with("\u221e"));
}

bool is_of_diff(std::string_view line) {
    constexpr std::array all{"@@", "+++ ", "--- ", "diff ", "index ", "\\ No newline", "```"};
    return std::ranges::any_of(all, [&](std::string_view one) { return line.starts_with(one); });
}

// Of what `diff` prints the marks before the lines, and the lines that were taken away where others came.
void blank_diff(std::string& text) {
    bool added = false;
    bool telling = false;  // a mark is more than the sign of a number
    bool apart = true;     // each mark has a blank behind it
    bool removed = false;
    const bool all = visit_lines(text, [&](std::size_t begin, std::size_t end) {
        const std::string_view line = std::string_view(text).substr(begin, end - begin);
        const bool marked = line[0] == '+' || line[0] == '-';
        if (marked && !is_of_diff(line)) {
            const std::size_t behind = line.find_first_not_of(blanks, 1);
            added = added || line[0] == '+';
            removed = removed || line[0] == '-';
            apart = apart && behind != 1;
            telling = telling || (behind != std::string_view::npos && !begins_number(line) &&
                                  !begins_number(line.substr(behind)));
        }
        return marked || line[0] == ' ' || is_of_diff(line);
    });
    if (!all || !(telling || (added && removed && apart))) {
        return;
    }
    visit_lines(text, [&](std::size_t begin, std::size_t end) {
        const std::string_view line = std::string_view(text).substr(begin, end - begin);
        blank(text, begin, is_of_diff(line) || (added && line[0] == '-') ? end : begin + 1);
        return true;
    });
}

// Where in a text the same words end as these, with any digits for digits; npos: it does not begin so.
std::size_t behind_alike(std::string_view text, std::string_view words) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < words.size();) {
        if (is_digit(words[i]) && at < text.size() && is_digit(text[at])) {
            i = digits_end(words, i);
            at = digits_end(text, at);
        } else if (at < text.size() && text[at] == words[i]) {
            ++i;
            ++at;
        } else {
            return std::string_view::npos;
        }
    }
    return at;
}

// What stands before each line of a tensor alike: a time, the name of a file and a line's number.
void blank_prefixes(std::string& text) {
    std::string prefix;
    std::size_t lines = 0;
    const auto prefix_end = [&](std::string_view line) -> std::size_t {
        if (!prefix.empty()) {
            return behind_alike(line, prefix);
        }
        constexpr std::size_t longest = 200;
        for (const std::string_view opening : {"tensor(", "array(", "[["}) {
            const std::size_t at = line.substr(0, longest).find(opening);
            if (at != std::string_view::npos) {
                return at;
            }
        }
        return std::string_view::npos;
    };
    const bool all = visit_lines(text, [&](std::size_t begin, std::size_t end) {
        const std::string_view line = std::string_view(text).substr(begin, end - begin);
        const std::size_t behind = prefix_end(line);
        const std::size_t first =
            behind == std::string_view::npos ? behind : line.find_first_not_of(blanks, behind);
        if (first == std::string_view::npos ||
            (lines > 0 && line[first] != '[' && !begins_number(line.substr(first)))) {
            return false;
        }
        prefix = line.substr(0, behind);
        return ++lines > 1 || std::ranges::any_of(prefix, is_digit);
    });
    if (!all || lines < 2) {
        return;
    }
    visit_lines(text, [&](std::size_t begin, std::size_t end) {
        const std::string_view line = std::string_view(text).substr(begin, end - begin);
        blank(text, begin, begin + behind_alike(line, prefix));
        return true;
    });
}

// Of a list of strings, as notebooks are saved in, the quotes and ends of lines: `"        [0.1, 0.2],\n",`
void blank_strings(std::string& text) {
    const auto last = [&](std::size_t begin, std::size_t end) {
        end = text.find_last_not_of(", \t\r", end - 1);
        return end > begin && end != std::string::npos && text[end] == '"' ? end : begin;
    };
    const auto is_line = [&](std::size_t begin, std::size_t end) {
        const std::size_t first = text.find_first_not_of(blanks, begin);
        const std::size_t quote = last(begin, end);
        return text[first] == '"' && quote > first + 2 &&
               std::string_view(text).substr(quote - 2, 2) == "\\n";
    };
    if (visit_lines(text, [&](std::size_t begin, std::size_t end) { return !is_line(begin, end); })) {
        return;
    }
    bool inside = false;
    visit_lines(text, [&](std::size_t begin, std::size_t end) {
        const std::size_t first = text.find_first_not_of(blanks, begin);
        const std::size_t quote = last(begin, end);
        const bool goes_on = is_line(begin, end);
        if (goes_on || (inside && text[first] == '"' && quote > first)) {
            blank(text, first, first + 1);
            blank(text, goes_on ? quote - 2 : quote, end);
        }
        inside = goes_on;
        return true;
    });
}

// `\n` for the end of a line within a tensor, and Markdown's `\[` for a bracket.
void blank_escapes(std::string& text) {
    for (std::size_t at = text.find('\\'); at != std::string::npos; at = text.find('\\', at + 1)) {
        const char escaped = at + 1 < text.size() ? text[at + 1] : '\0';
        const char before = at > 0 ? text[at - 1] : ' ';
        const std::size_t next = std::min(text.find_first_not_of(blanks, at + 2), text.size());
        const std::string_view rest = std::string_view(text).substr(next);
        if (escaped == 'n' && (before == ',' || before == ']' || before == ' ') &&
            (rest.starts_with('[') || begins_number(rest) || rest.starts_with("grad_fn"))) {
            blank(text, at, at + 2);
        } else if ((escaped == '[' && (begins_number(rest) || rest.starts_with("\\["))) ||
                   (escaped == ']' && (is_digit(before) || before == '.' || before == ']'))) {
            text[at] = ' ';
        }
    }
}

// Lists in braces or parentheses, as C++ and tuples have them, get brackets: `{{0.1f, 0.2f}, {…}}`.
void put_brackets(std::string& text) {
    constexpr std::string_view numbers = "+-0123456789.eEfFinaN,; \t\r\n{}()";
    for (std::size_t at = text.find_first_of("{("); at != std::string::npos;
         at = text.find_first_of("{(", at + 1)) {
        const std::size_t second = std::min(text.find_first_not_of(" \t\r\n", at + 1), text.size() - 1);
        const bool call = text[at] == '(' && at > 0 && is_word_character(text[at - 1]);
        if (text[second] != text[at] || second == at || call) {
            continue;
        }
        std::size_t depth = 0;
        std::size_t end = at;
        bool fractions = false;
        do {
            depth += text[end] == '{' || text[end] == '(' ? 1 : 0;
            depth -= text[end] == '}' || text[end] == ')' ? 1 : 0;
            fractions = fractions || text[end] == '.';
            ++end;
        } while (depth > 0 && end < text.size() && numbers.find(text[end]) != std::string_view::npos);
        for (std::size_t i = at; depth == 0 && fractions && i < end; ++i) {
            const char c = text[i];
            const bool suffix = (c == 'f' || c == 'F') && (is_digit(text[i - 1]) || text[i - 1] == '.');
            text[i] = c == '{' || c == '(' ? '[' : c == '}' || c == ')' ? ']' : suffix ? ' ' : c;
        }
        at = end - 1;
    }
}

void blank_line_numbers(std::string& text) {
    struct LineNumber {
        std::size_t begin;
        std::size_t end;
    };
    std::vector<LineNumber> found;
    bool any_text = false;
    std::size_t last = 0;
    const std::string_view all = text;
    for (std::size_t begin = 0; begin < all.size();) {
        const std::size_t newline = std::min(all.find('\n', begin), all.size());
        const std::size_t first = std::min(all.find_first_not_of(blanks, begin), newline);
        const std::size_t end = digits_end(all.substr(0, newline), first);
        if (first < newline) {
            constexpr std::size_t longest = 6;
            if (end == first || end - first > longest) {
                return;
            }
            const std::size_t number = std::stoul(text.substr(first, end - first));
            const char behind = end < newline ? all[end] : '\n';
            if ((!found.empty() && number != last + 1) ||
                std::string_view(" \t\r\n:|").find(behind) == std::string_view::npos) {
                return;
            }
            last = number;
            const std::size_t mark = end < newline && (behind == ':' || behind == '|') ? 1 : 0;
            found.push_back({first, end + mark});
            any_text = any_text || all.find_first_not_of(blanks, end + mark) < newline;
        }
        begin = newline + 1;
    }
    if (found.size() < 2 || !any_text) {
        return;
    }
    for (const LineNumber& number : found) {
        blank(text, number.begin, number.end);
    }
}

// In a line such as `w[0][1] = 0.1646` or `w[0, 1]: 0.1646`.
struct Cell {
    std::size_t subscript, number;  // where they begin
};

std::optional<Cell> cell(std::string_view line) {
    const std::size_t subscript = std::min(line.find('['), line.size());
    std::size_t at = subscript;
    const auto take = [&](std::string_view what) {
        const bool is_there = line.substr(at).starts_with(what);
        at += is_there ? what.size() : 0;
        return is_there;
    };
    const auto take_index = [&] {
        const std::size_t begin = at;
        at = digits_end(line, at);
        return at > begin;
    };
    const auto skip_blanks = [&] { at = std::min(line.find_first_not_of(blanks, at), line.size()); };
    if (!take("[") || !take_index() || !(take("][") || take(",")) || (skip_blanks(), !take_index()) ||
        !take("]")) {
        return std::nullopt;
    }
    skip_blanks();
    if (!take("->") && !take("=") && !take(":")) {
        return std::nullopt;
    }
    skip_blanks();
    return begins_number(line.substr(at)) ? std::optional(Cell{subscript, at}) : std::nullopt;
}

// Of cells that are printed one by one all but their indices before the number.
void blank_subscripts(std::string& text) {
    constexpr std::size_t least = 4;
    std::vector<Cell> cells;
    visit_lines(text, [&](std::size_t begin, std::size_t end) {
        if (const auto found = cell(std::string_view(text).substr(begin, end - begin))) {
            cells.push_back({begin + found->subscript, begin + found->number});
        }
        return true;
    });
    if (cells.size() < least) {
        return;
    }
    for (const Cell& one : cells) {
        for (std::size_t at = one.subscript; at < one.number; ++at) {
            text[at] = is_digit(text[at]) ? text[at] : ' ';
        }
    }
}

// Whether each comma stands within a number, `0,19`, and no number has a point.
bool has_decimal_commas(std::string_view text) {
    bool any = false;
    bool separated = false;  // by something else
    bool in_number = false;  // a comma has been in this one
    const auto digit_at = [&](std::size_t i) { return i < text.size() && is_digit(text[i]); };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '[' || c == '{' || (c == '.' && i > 0 && digit_at(i - 1) && digit_at(i + 1))) {
            return false;
        }
        if (c == ',') {
            if (in_number || i == 0 || !digit_at(i - 1) || !digit_at(i + 1)) {
                return false;
            }
            in_number = any = true;
            // Two columns of whole numbers look the same but for their length.
            separated = separated || digits_end(text, i + 1) - i > 2;
        } else if (!is_digit(c)) {
            separated =
                separated || (in_number && (c == ';' || c == '\t' || c == '|' || c == '&' || c == ' '));
            in_number = false;
        }
    }
    return any && separated;
}

void close_gaps(std::string& text) {
    for (std::size_t point = text.find(" ."); point != std::string::npos;
         point = text.find(" .", point + 1)) {
        std::size_t first = point;
        while (first > 0 && is_digit(text[first - 1])) {
            --first;
        }
        const bool within_number =
            first > 0 && (text[first - 1] == '.' || is_word_character(text[first - 1]));
        if (first == point || within_number || point + 2 == text.size() || !is_digit(text[point + 2])) {
            continue;
        }
        const std::size_t sign = first > 0 && text[first - 1] == '-' ? first - 1 : first;
        const auto at = [&](std::size_t i) { return text.begin() + static_cast<std::ptrdiff_t>(i); };
        std::rotate(at(sign), at(point), at(point + 1));
    }
}

// The letter O for 0, as scanned numbers have it: `O.1646`.
void put_zeros(std::string& text) {
    const auto is_letter = [](char c) { return c == 'O' || c == 'o'; };
    const auto belongs = [&](std::size_t at) {
        return at < text.size() && (is_digit(text[at]) || is_letter(text[at]));
    };
    const auto delimits = [&](std::size_t at) {
        return at >= text.size() || (!is_word_character(text[at]) && text[at] != '.');
    };
    for (std::size_t point = text.find('.'); point != std::string::npos; point = text.find('.', point + 1)) {
        std::size_t begin = point;
        while (begin > 0 && belongs(begin - 1)) {
            --begin;
        }
        std::size_t end = point + 1;
        while (belongs(end)) {
            ++end;
        }
        const auto at = [&](std::size_t i) { return text.begin() + static_cast<std::ptrdiff_t>(i); };
        constexpr std::ptrdiff_t least = 2;  // digits
        if (begin < point && (begin == 0 || delimits(begin - 1)) && delimits(end) &&
            std::count_if(at(begin), at(end), is_digit) >= least) {
            std::replace_if(at(begin), at(end), is_letter, '0');
        }
        point = end - 1;
    }
}

}  // namespace

std::string as_printed(std::string text) {
    make_ascii(text);
    put_zeros(text);
    blank_strings(text);
    blank_escapes(text);
    blank_diff(text);
    blank_prefixes(text);
    blank_subscripts(text);
    put_brackets(text);
    blank_line_numbers(text);
    if (has_decimal_commas(text)) {
        std::ranges::replace(text, ',', '.');
    }
    close_gaps(text);
    return text;
}

}  // namespace attn
