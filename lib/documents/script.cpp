// Python with its outputs in comments or in strings of their own, as people keep them beside the code.
#include <algorithm>

#include "documents/python_code.hpp"
#include "documents/readers.hpp"
#include "printed/number.hpp"
#include "text/split.hpp"

namespace attn {

namespace {

using StatementKind = python::Statement::Kind;

std::string_view without_margins(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    return first == std::string_view::npos ? std::string_view()
                                           : line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
}

// Returns true for comments that contain a printed tensor, or a line of numbers with decimals.
bool is_output(const std::vector<std::string_view>& comments) {
    return std::ranges::any_of(comments, [](std::string_view comment) {
        const auto numbers = read_numbers(without_margins(comment));
        return has_tensor(comment) ||
               (numbers && std::ranges::any_of(*numbers, [](const PrintedNumber& number) {
                    return number.notation == PrintedNumber::Notation::fixed;
                }));
    });
}

}  // namespace

std::vector<Item> read_script(const Passage& passage) {
    const std::vector<std::string_view> lines = split_lines(passage.text);
    const python::Code code = python::parse(passage.text);
    // The kind of each line, and its text in an output.
    std::vector<Item::Kind> kinds(lines.size() + 1, Item::Kind::code);
    std::vector<std::string_view> behind(lines.size() + 1);  // an output in a comment behind code
    std::vector<bool> is_statement(lines.size() + 2, false);
    std::vector<bool> is_first(lines.size() + 2, false);  // the first line of a statement
    bool any_code = false;
    for (const python::Statement& statement : code.statements) {
        const bool is_string = statement.kind == StatementKind::expression &&
                               statement.value.is(python::Expression::Kind::string);
        any_code = any_code || (!is_string && statement.kind != StatementKind::other);
        is_first[statement.line] = true;
        // An open string reaches behind the last line.
        const std::size_t last_line = std::min(statement.last_line, lines.size());
        for (std::size_t line = statement.line; line <= last_line; ++line) {
            is_statement[line] = true;
            if (is_string && has_tensor(statement.value.text)) {
                kinds[line] = Item::Kind::output;
            }
        }
    }
    bool any_output = std::ranges::find(kinds, Item::Kind::output) != kinds.end();
    for (auto first = code.comments.begin(); first != code.comments.end();) {
        auto last = first;
        std::vector<std::string_view> texts;
        do {
            texts.push_back(last->text);
            ++last;
        } while (!is_statement[first->line] && last != code.comments.end() &&
                 last->line == std::prev(last)->line + 1 && !is_statement[last->line]);
        const bool ends_statement = !is_statement[first->line + 1] || is_first[first->line + 1];
        if (is_output(texts) && ends_statement) {
            any_output = true;
            for (auto comment = first; comment != last; ++comment) {
                if (is_statement[comment->line]) {
                    behind[comment->line] = comment->text;
                } else {
                    kinds[comment->line] = Item::Kind::output;
                }
            }
        }
        first = last;
    }
    if (!any_code || !any_output) {
        return {};
    }
    ItemList list;
    for (std::size_t line = 1; line <= lines.size(); ++line) {
        const bool is_comment = kinds[line] == Item::Kind::output && !is_statement[line];
        const std::string_view text = without_margins(lines[line - 1]);
        list.add_line(kinds[line], is_comment && text.starts_with('#') ? text.substr(1) : lines[line - 1],
                      passage.line + line - 1);
        if (!behind[line].empty()) {
            list.separate();
            list.add_line(Item::Kind::output, behind[line], passage.line + line - 1);
            list.separate();
        }
    }
    return list.items;
}

}  // namespace attn
