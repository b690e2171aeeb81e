#include "printed/lines.hpp"

#include <algorithm>

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
