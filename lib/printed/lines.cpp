#include "printed/lines.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "text/ascii.hpp"

namespace attn {

namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::size_t none = std::string_view::npos;

std::size_t digits_end(std::string_view text, std::size_t at) {
    while (at < text.size() && is_digit(text[at])) {
        ++at;
    }
    return at;
}

bool begins_number(std::string_view text) {
    const std::string_view digits = text.substr(text.starts_with('-') || text.starts_with('+') ? 1 : 0);
    return !digits.empty() && (is_digit(digits[0]) || digits[0] == '.' || digits.starts_with("inf") ||
                               digits.starts_with("nan") || digits.starts_with("\u221e"));
}

class Margins {
public:
    explicit Margins(std::string_view text) : text_(text), lines_(raw_lines_of(text)) {}

    std::vector<Line> without() {
        cut_diff();
        cut_prefixes();
        cut_line_numbers();
        cut_marks();
        mark_code();
        return std::move(lines_);
    }

private:
    std::string_view content(const Line& line) const {
        return text_.substr(line.begin, line.end - line.begin);
    }

    static bool is_diff_header(std::string_view line) {
        constexpr std::array all{"@@", "+++ ", "--- ", "diff ", "index ", "\\ No newline", "```"};
        return std::ranges::any_of(all, [&](std::string_view one) { return line.starts_with(one); });
    }

    // In a diff, every line begins with a mark. The sign of a number is not such a mark.
    void cut_diff() {
        bool added = false;
        bool removed = false;
        bool telling = false;
        bool apart = true;  // true if every mark is followed by a blank
        for (const Line& one : lines_) {
            const std::string_view line = content(one);
            const bool marked = line[0] == '+' || line[0] == '-';
            if (!marked && line[0] != ' ' && !is_diff_header(line)) {
                return;
            }
            if (marked && !is_diff_header(line)) {
                const std::size_t behind = line.find_first_not_of(blanks, 1);
                (line[0] == '+' ? added : removed) = true;
                apart = apart && behind != 1;
                telling = telling ||
                          (behind != none && !begins_number(line) && !begins_number(line.substr(behind)));
            }
        }
        if (!telling && !(added && removed && apart)) {
            return;
        }
        std::erase_if(lines_, [&](const Line& line) {
            return is_diff_header(content(line)) || (added && text_[line.begin] == '-');
        });
        for (Line& line : lines_) {
            ++line.begin;
        }
    }

    // Returns the end of `words` at the beginning of a line, where any digits match digits. Returns npos if
    // the line begins differently.
    static std::size_t end_of_same_words(std::string_view line, std::string_view words) {
        std::size_t at = 0;
        for (std::size_t i = 0; i < words.size();) {
            if (is_digit(words[i]) && at < line.size() && is_digit(line[at])) {
                i = digits_end(words, i);
                at = digits_end(line, at);
            } else if (at < line.size() && line[at] == words[i]) {
                ++i;
                ++at;
            } else {
                return none;
            }
        }
        return at;
    }

    // Removes prefixes of logs: a time, or a file name and line number, before every line of a tensor.
    void cut_prefixes() {
        constexpr std::size_t longest = 200;
        if (lines_.size() < 2) {
            return;
        }
        const std::string_view first = content(lines_[0]).substr(0, longest);
        std::size_t length = none;
        for (const std::string_view opening : {"tensor(", "array(", "[["}) {
            length = std::min(length, first.find(opening));
        }
        const std::string prefix(first.substr(0, length == none ? 0 : length));
        if (std::ranges::none_of(prefix, is_digit)) {
            return;
        }
        std::vector<std::size_t> ends;
        for (const Line& one : lines_) {
            const std::string_view line = content(one);
            const std::size_t end = end_of_same_words(line, prefix);
            const std::size_t behind = end == none ? none : line.find_first_not_of(blanks, end);
            if (behind == none ||
                (!ends.empty() && line[behind] != '[' && !begins_number(line.substr(behind)))) {
                return;
            }
            ends.push_back(end);
        }
        for (std::size_t i = 0; i < ends.size(); ++i) {
            lines_[i].begin += ends[i];
        }
    }

    void cut_line_numbers() {
        std::vector<std::size_t> ends;
        std::size_t expected = 0;
        bool any_text = false;
        for (const Line& one : lines_) {
            constexpr std::size_t most_digits = 6;
            const std::string_view line = content(one);
            const std::size_t first = line.find_first_not_of(blanks);
            std::size_t end = digits_end(line, first);
            if (end == first || end - first > most_digits) {
                return;
            }
            const std::size_t number = std::stoul(std::string(line.substr(first, end - first)));
            const char behind = end < line.size() ? line[end] : ' ';
            if ((!ends.empty() && number != expected) || std::string_view(" \t:|").find(behind) == none) {
                return;
            }
            expected = number + 1;
            end += behind == ':' || behind == '|' ? 1 : 0;
            ends.push_back(std::min(end, line.size()));
            any_text = any_text || end < line.size();
        }
        if (ends.size() < 2 || !any_text) {
            return;
        }
        for (std::size_t i = 0; i < ends.size(); ++i) {
            lines_[i].begin += ends[i];
        }
    }

    // Removes marks of quotations and comments, but not the prompt.
    void cut_marks() {
        for (Line& line : lines_) {
            while (line.begin < line.end && !content(line).starts_with(">>>") &&
                   std::string_view(" \t>#/|").find(text_[line.begin]) != none) {
                ++line.begin;
            }
        }
    }

    void mark_code() {
        bool in_code = false;
        for (Line& line : lines_) {
            const std::string_view said = content(line);
            in_code = said.starts_with(">>>") || (in_code && (said.starts_with("... ") || said == "..."));
            line.code = in_code;
        }
    }

    std::string_view text_;
    std::vector<Line> lines_;
};

}  // namespace

std::vector<Line> raw_lines_of(std::string_view text) {
    std::vector<Line> lines;
    bool apart = false;
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t newline = std::min(text.find('\n', begin), text.size());
        const std::size_t length = text.substr(begin, newline - begin).find_last_not_of(blanks) + 1;
        ++number;
        if (length > 0) {
            lines.push_back({begin, begin + length, number, apart});
        }
        apart = length == 0;
        begin = newline + 1;
    }
    return lines;
}

std::vector<Line> lines_of(std::string_view text) {
    return Margins(text).without();
}

}  // namespace attn
