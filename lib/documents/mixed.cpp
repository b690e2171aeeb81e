// Code and outputs without marks between them, as copied from a page. Python decides what code is.
#include <algorithm>
#include <array>
#include <string>

#include "documents/python_code.hpp"
#include "documents/readers.hpp"
#include "text/ascii.hpp"
#include "text/split.hpp"

namespace attn {

namespace {

using python::Expression;
using python::Statement;

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

// Returns true for a tensor, list or number, which a program may have printed.
bool is_value(const Expression& expression) {
    using enum Expression::Kind;
    return expression.is(list) || expression.is(number) || expression.is(tuple) ||
           (expression.is(unary) && is_value(expression.operands[0])) ||
           (expression.is(call) && expression.called() == "Size") ||
           (expression.is(call) && expression.operands[0].is(name) &&
            (expression.called() == "tensor" || expression.called() == "array"));
}

bool is_code_statement(const Statement& statement) {
    using enum Statement::Kind;
    switch (statement.kind) {
        case assignment:
            return !is_value(statement.value);
        case expression:
            return !is_value(statement.value) && !statement.value.is(Expression::Kind::name) &&
                   !statement.value.is(Expression::Kind::string) &&
                   !statement.value.is(Expression::Kind::constant);
        case other:
            return statement.source.starts_with('@') || statement.source.starts_with("assert ");
        default:
            return true;
    }
}

// Returns true for `d_out = 2` and `d_in, d_out = 3, 2`, which are code below other code, but may be outputs
// below print(…).
bool assigns_numbers(std::string_view line) {
    const python::Code code = python::parse(line);
    return code.statements.size() == 1 && code.statements[0].kind == Statement::Kind::assignment &&
           (code.statements[0].value.is(Expression::Kind::number) ||
            code.statements[0].value.is(Expression::Kind::tuple));
}

// Returns true for `res = 0.`, which is code: print(…) writes 0.0 or tensor(0.).
bool ends_with_point(std::string_view line) {
    return assigns_numbers(line) && line.find_last_of('.') == line.find_last_not_of(" \t\r");
}

// Adds to `closing` the brackets that close those the line leaves open, the next one last.
void follow_brackets(std::string_view line, std::string& closing) {
    constexpr std::string_view opening = "([{";
    constexpr std::string_view ends = ")]}";
    for (const char c : line.substr(0, line.find('#'))) {
        if (const std::size_t kind = opening.find(c); kind != std::string_view::npos) {
            closing.push_back(ends[kind]);
        } else if (!closing.empty() && is_one_of(c, ends)) {
            closing.pop_back();
        }
    }
}

// Returns true if the line is code, or begins a statement of several lines.
bool is_code_line(std::string_view line) {
    std::string closed(line.substr(0, line.find('#')));
    std::string closing;
    follow_brackets(line, closing);
    closed.append(closing.rbegin(), closing.rend());
    return std::ranges::any_of(python::parse(closed).statements, is_code_statement);
}

// Returns true for a line that is certainly code.
bool is_surely_code(std::string_view line) {
    constexpr std::array<std::string_view, 7> beginnings{
        "import ", "from ", "print(", "def ", "class ", "torch.manual_seed(", "np.random.seed("};
    return std::ranges::any_of(beginnings, [&](std::string_view word) { return line.starts_with(word); }) &&
           is_code_line(line);
}

}  // namespace

bool begins_tensor(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    constexpr std::array<std::string_view, 8> beginnings{
        "tensor(", "array(", "[[", "Parameter containing:", "(tensor(", "[tensor(", "(array(", "[array("};
    return std::ranges::any_of(beginnings, [&](std::string_view word) { return line.starts_with(word); });
}

bool has_tensor(std::string_view text) {
    for (const std::string_view word : {"tensor(", "array(", "[["}) {
        for (std::size_t at = text.find(word); at < text.size(); at = text.find(word, at + 1)) {
            const char before = at == 0 ? ' ' : text[at - 1];
            if (!is_word_character(before) && !is_one_of(before, ".([{")) {
                return true;
            }
        }
    }
    return begins_tensor(text);
}

bool is_python(std::string_view text, bool is_likely) {
    const python::Code code = python::parse(text);
    const auto first = std::ranges::find_if(
        code.statements, [](const Statement& statement) { return statement.kind != Statement::Kind::other; });
    return first != code.statements.end() &&
           (is_likely ? first->kind != Statement::Kind::expression || !is_value(first->value)
                      : std::ranges::any_of(code.statements, is_code_statement) && is_code_statement(*first));
}

bool LineSorter::shows_variable(std::string_view line) const {
    return kind_ == Item::Kind::code && !is_shown_ && assigned_.contains(line);
}

Item::Kind LineSorter::kind_of(std::string_view line) {
    const bool is_indented = !line.empty() && is_one_of(line[0], " \t");
    if (is_blank(line)) {
        return kind_;
    }
    if (line.starts_with("Traceback ")) {
        kind_ = Item::Kind::error;
    } else if (kind_ != Item::Kind::code || closing_.empty()) {
        const bool goes_on = is_indented && kind_ == Item::Kind::code && !begins_tensor(line);
        const bool closes =
            kind_ == Item::Kind::code && (line.starts_with("else") || line.starts_with("elif "));
        const bool assigns =
            kind_ == Item::Kind::code && (is_shown_ ? ends_with_point(line) : assigns_numbers(line));
        kind_ = goes_on || closes || line.starts_with('#') || shows_variable(line) ||
                        (!is_indented && !has_tensor(line) && (assigns || is_code_line(line)))
                    ? Item::Kind::code
                    : Item::Kind::output;
        closing_.clear();
    }
    if (kind_ == Item::Kind::code) {
        is_shown_ = line.starts_with("print(") || shows_variable(line);
        for (std::size_t from = 0, end = line.find(" = "); end != std::string_view::npos && from < end;) {
            const std::size_t to = std::min(line.find(", ", from), end);
            assigned_.emplace(line.substr(from, to - from));
            from = to + 2;
        }
        follow_brackets(line, closing_);
    }
    return kind_;
}

std::vector<Item> read_mixed(const Passage& passage) {
    const std::vector<std::string_view> lines = split_lines(passage.text);
    if (std::ranges::none_of(lines, is_surely_code)) {
        return {};
    }
    ItemList list;
    LineSorter sorter;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        list.add_line(sorter.kind_of(lines[i]), lines[i], passage.line + i);
    }
    const bool any_output =
        std::ranges::any_of(list.items, [](const Item& item) { return item.kind == Item::Kind::output; });
    return any_output ? list.items : std::vector<Item>();
}

}  // namespace attn
