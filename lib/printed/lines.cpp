#include "printed/lines.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

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
    std::vector<std::size_t> ends;
    std::size_t expected = 0;
    bool any_text = false;
    for (const Line& one : lines) {
        const std::string_view line = content(text, one);
        std::size_t number = 0;
        const auto [rest, error] =
            std::from_chars(line.data() + line.find_first_not_of(blanks), line.data() + line.size(), number);
        auto end = static_cast<std::size_t>(rest - line.data());
        const char behind = end < line.size() ? line[end] : ' ';
        if (error != std::errc() || (!ends.empty() && number != expected) || !is_one_of(behind, " \t:|")) {
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
        lines[i].begin += ends[i];
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
