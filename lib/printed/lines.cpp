#include "printed/lines.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "text/ascii.hpp"

namespace attn {

namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view content(std::string_view text, const Line& line) {
    return text.substr(line.begin, line.end - line.begin);
}

// Returns the lines that are not blank, with their margins.
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

// Removes numbers that count all lines.
void cut_line_numbers(std::string_view text, std::vector<Line>& lines) {
    std::vector<Line> cut = lines;
    std::optional<std::size_t> expected;
    bool any_text = false;
    for (Line& one : cut) {
        const std::string_view line = content(text, one);
        std::size_t number = 0;
        const auto [rest, error] =
            std::from_chars(line.data() + line.find_first_not_of(blanks), line.data() + line.size(), number);
        const auto end = static_cast<std::size_t>(rest - line.data());
        const char behind = end < line.size() ? line[end] : ' ';
        if (error != std::errc() || number != expected.value_or(number) || !is_one_of(behind, " \t:|")) {
            return;
        }
        expected = number + 1;
        one.begin += end + (is_one_of(behind, ":|") ? 1 : 0);
        any_text = any_text || one.begin < one.end;
    }
    if (cut.size() > 1 && any_text) {
        lines = std::move(cut);
    }
}

// Removes marks of quotations and comments, but not the prompt `>>>`.
void cut_marks(std::string_view text, Line& line) {
    while (line.begin < line.end && !content(text, line).starts_with(">>>") &&
           is_one_of(text[line.begin], " \t>#/|")) {
        ++line.begin;
    }
}

}  // namespace

std::vector<Line> lines_of(std::string_view text) {
    std::vector<Line> lines = raw_lines_of(text);
    cut_line_numbers(text, lines);
    bool in_code = false;
    for (Line& line : lines) {
        cut_marks(text, line);
        const std::string_view said = content(text, line);
        in_code = said.starts_with(">>>") || (in_code && (said.starts_with("... ") || said == "..."));
        line.code = in_code;
    }
    return lines;
}

}  // namespace attn
