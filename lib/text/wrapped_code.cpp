#include "text/wrapped_code.hpp"

#include <algorithm>

#include "text/lists.hpp"
#include "text/split.hpp"

namespace attn {

namespace {

struct Break {
    std::size_t at = std::string_view::npos;  // the position of a space
    bool is_outside = false;                  // no bracket is open
};

class Wrapper {
public:
    Wrapper(std::size_t columns, bool is_python) : columns_(columns), is_python_(is_python) {}

    std::string wrapped_line(std::string_view line) {
        const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
        std::string text;
        std::string before;  // the indentation of the rest
        while (true) {
            const int depth = depth_;
            const Break found = last_break(line, columns_ - std::min(columns_, before.size()));
            if (found.at == std::string_view::npos) {
                return text + before + std::string(line);
            }
            depth_ = depth;
            last_break(line.substr(0, found.at), found.at);  // counts the brackets before the break
            text += before + std::string(line.substr(0, found.at));
            text += is_python_ && found.is_outside ? " \\\n" : "\n";
            line.remove_prefix(found.at + 1);
            before = std::string(indent + 4, ' ');
        }
    }

private:
    // Returns the last place to break within the columns, or the first one after them; nothing if the line
    // fits. Afterwards, depth_ counts the brackets that are open at the end of the line.
    Break last_break(std::string_view line, std::size_t columns) {
        constexpr std::string_view operators = "+-*/@%<>|&";
        Break found;
        char quote = 0;
        for (std::size_t i = 0; i < line.size(); ++i) {
            const char c = line[i];
            if (quote != 0) {
                quote = c == quote ? '\0' : quote;
                continue;
            }
            if (c == '#' || line.substr(i).starts_with("//")) {
                break;
            }
            quote = c == '"' || c == '\'' ? c : '\0';
            depth_ += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
            const bool is_place = c == ' ' && i > 1 && i + 2 < line.size() && line[i - 1] != ' ' &&
                                  (line[i - 1] == ',' || (line[i - 1] == '=' && line[i - 2] == ' ') ||
                                   (contains(operators, line[i + 1]) &&
                                    (line[i + 2] == ' ' || line.substr(i + 2).starts_with("= "))) ||
                                   line.substr(i + 1).starts_with("== "));
            const std::size_t width = i + (is_python_ && depth_ == 0 ? 2 : 0);
            if (is_place && (width <= columns || found.at == std::string_view::npos)) {
                found = {i, depth_ == 0};
            }
        }
        return line.size() <= columns ? Break{} : found;
    }

    std::size_t columns_;
    bool is_python_;
    int depth_ = 0;
};

}  // namespace

std::string wrapped_code(std::string_view statement, std::size_t columns, bool is_python) {
    Wrapper wrapper(columns, is_python);
    std::string text;
    for (const std::string_view line : split_lines(statement)) {
        text += (text.empty() ? "" : "\n") + wrapper.wrapped_line(line);
    }
    return text;
}

}  // namespace attn
