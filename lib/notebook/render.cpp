// A code line is a row's pattern with names and numbers filled in, and with brackets where an operand needs
// them. A formula is an expression that the row builds.
#include "notebook/render.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <span>
#include <utility>

#include "tensor/digits.hpp"
#include "text/lists.hpp"
#include "text/split.hpp"

namespace attn {

namespace {

// Writes nested lists, one innermost row per line: [[0.43, 0.15], [0.55, 0.87]].
std::string nested_lists(const Tensor& x, std::size_t axis, std::size_t& next, const std::string& indent) {
    if (x.rank() == 0) {
        return shortest_digits(x.values()[0]);
    }
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < x.shape()[axis]; ++i) {
        parts.push_back(axis + 1 == x.rank() ? shortest_digits(x.values()[next++])
                                             : nested_lists(x, axis + 1, next, indent + " "));
    }
    const std::string separator = axis + 1 == x.rank() ? ", " : ",\n" + indent + " ";
    return fmt::format("[{}]", fmt::join(parts, separator));
}

// Writes Tensor(Shape{6, 3}, {0.43F, 0.15F, …}), one row per line, as in Python.
std::string cpp_data(const Tensor& x) {
    const std::string line_break = x.rank() > 1 ? "\n    " : "";
    const std::size_t length = x.rank() == 0 ? 1 : x.size(-1);
    std::string text = fmt::format("Tensor(Shape{{{}}}, {{", fmt::join(x.shape(), ", "));
    for (std::size_t i = 0; i < x.count(); ++i) {
        text += i % length == 0 ? line_break : " ";
        text += shortest_digits(x.values()[i]) + (i + 1 < x.count() ? "F," : "F");
    }
    return text + "})";
}

std::string data(const Tensor& x, Language language) {
    if (language == Language::cpp) {
        return cpp_data(x);
    }
    std::size_t next = 0;
    const std::string indent = "    ";
    return (x.rank() > 1 ? "\n" + indent : "") + nested_lists(x, 0, next, indent);
}

// Fills in patterns for one language.
class CodeWriter {
public:
    CodeWriter(const Notebook& notebook, Language language) : notebook_(notebook), language_(language) {}

    std::string value(std::size_t id) const {
        const Node& node = notebook_.nodes()[id];
        return node.name.empty() ? call(node) : node.name;
    }

    std::string call(const Node& node) const {
        const std::string pattern = syntax(node).pattern;
        const std::string text = filled(node, pattern, 0);
        return is_hidden(pattern) ? "attn::" + text : text;
    }

    Syntax syntax(const Node& node) const { return node.call.operation->syntax(language_, node.call); }

    // Returns the declaration before a variable in C++; empty if the variable exists already.
    std::string_view declarator(std::size_t id, bool changes) const {
        const Nodes& nodes = notebook_.nodes();
        const auto first = std::ranges::find(nodes, nodes[id].name, &Node::name);
        if (&*first != &nodes[id]) {
            return "";
        }
        const auto again = std::ranges::find(std::next(first), nodes.end(), nodes[id].name, &Node::name);
        return changes || again != nodes.end() ? "auto " : "const auto ";
    }

private:
    // Returns true if a variable hides a C++ function of the same name, such as row_sums.
    bool is_hidden(std::string_view pattern) const {
        const std::string_view function = up_to(pattern, "(");
        return language_ == Language::cpp && function.size() < pattern.size() &&
               contains(notebook_.nodes(), function, &Node::name);
    }

    // `depth` counts the open brackets. Within brackets of a call, an operand needs no brackets of its own.
    std::string filled(const Node& node, std::string_view pattern, int depth) const {
        std::string text;
        bool is_first = true;  // true until the first operand is written
        for (std::string_view rest = pattern; !rest.empty();) {
            if (rest.starts_with("{{") || rest.starts_with("}}")) {
                depth += rest[0] == '{' ? 1 : -1;
                text += rest[0];
                rest.remove_prefix(2);
            } else if (rest[0] == '{') {
                const std::string_view inside = braced(rest);
                const std::size_t mark = inside.find_first_of("?!");
                if (mark == std::string_view::npos) {
                    text += placeholder(node, inside, depth == 0, std::exchange(is_first, false));
                } else if (node.call.has(inside.substr(0, mark)) == (inside[mark] == '?')) {
                    text += filled(node, inside.substr(mark + 1), depth);
                }
                rest.remove_prefix(inside.size() + 2);
            } else {
                depth += rest[0] == '(' || rest[0] == '[' ? 1 : rest[0] == ')' || rest[0] == ']' ? -1 : 0;
                text += rest[0];
                rest.remove_prefix(1);
            }
        }
        return text;
    }

    // Returns the content of the braces at the beginning of a text.
    static std::string_view braced(std::string_view text) {
        std::size_t end = 0;
        for (int open = 1; open > 0; open += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0) {
            ++end;
        }
        return text.substr(1, end - 1);
    }

    // `exposed` is true if the pattern has no brackets around the placeholder.
    std::string placeholder(const Node& node, std::string_view name, bool exposed, bool is_first) const {
        const auto bracketed = [&](std::string text, Binding inner) {
            const bool brackets = exposed && needs_brackets(inner, syntax(node).binding, is_first);
            return brackets ? "(" + text + ")" : text;
        };
        std::size_t operand = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), operand).ec == std::errc()) {
            const std::size_t id = node.call.inputs.at(operand);
            const Node& inner = notebook_.nodes()[id];
            return bracketed(value(id), inner.name.empty() ? syntax(inner).binding : Binding::atom);
        }
        if (name == "data") {
            Tensor evaluated = node.value;
            for (const Replaced& one : node.set) {
                evaluated.values()[one.offset] = one.before;
            }
            return data(evaluated, language_);
        }
        if (name == "name") {
            return node.name;
        }
        if (name == "operands") {
            const auto operands = mapped(node.call.inputs, [&](std::size_t id) { return value(id); });
            const bool is_tuple = language_ != Language::cpp && operands.size() == 1;
            return joined(operands) + (is_tuple ? "," : "");  // in Python, (x) is x and not a tuple
        }
        return joined(mapped(node.call.numbers(name), [&](const Number& number) {
            return bracketed(number.in(language_), number.binding(Script(language_)));
        }));
    }

    const Notebook& notebook_;
    Language language_;
};

// Builds the formulas of nodes, for a whole tensor or for one cell.
class FormulaWriter {
public:
    explicit FormulaWriter(const Notebook& notebook) : notebook_(notebook) {}

    Expr statement(std::size_t id) const {
        const Node& node = notebook_.nodes()[id];
        const Expr pattern = pattern_of(node);
        const bool of_cell = wants_index(node, pattern) || own_index(node) != "ij";
        const Expr right = formula_of(node, pattern, of_cell);
        if (right.is_empty()) {
            return right;
        }
        return equation(of_cell ? indexed(node.symbol, node) : node.symbol, right);
    }

private:
    // Returns f(S) or S + X. Products are written by cell, S_ij · X_ij, because S X would be a product of
    // matrices.
    static Expr of_elementwise(const Elementwise& each, Returns returns, const FormulaOf& x) {
        const bool is_alone = x.operands.size() == 1;
        const bool as_whole = !is_alone && row_of(each.function).in_formulas <= Binding::sum;
        const bool as_it_stands = is_alone && returns != Returns::truths;
        const Terms terms{
            [&](std::size_t operand) {
                return as_whole ? x.whole(operand) : as_it_stands ? x.same(operand) : x.cell(operand);
            },
            [&](std::string_view attribute) { return x.number(attribute); }};
        return each.expression(terms, x.operands.size());
    }

    // Returns the formula of a call, with placeholders for its operands; empty if it has none.
    Expr pattern_of(const Node& node) const {
        const Operation& operation = *node.call.operation;
        const std::vector<const Tensor*> operands = notebook_.operands(node.call);
        const FormulaOf x{{node.call, operands}};
        if (!operation.formula.is_empty()) {
            return operation.formula(x);
        }
        const Elementwise* const each = operation.elementwise();
        return each == nullptr ? Expr{} : of_elementwise(*each, operation.returns, x);
    }

    static bool has(const Expr& pattern, Leaf::From placeholder) {
        return pattern.leaf.from == placeholder ||
               std::ranges::any_of(pattern.parts, [&](const Expr& part) { return has(part, placeholder); });
    }

    // Returns true if the formula is for one cell: it names a cell, or it stands for whatever an unnamed
    // operand is, and this operand's formula is for one cell.
    bool wants_index(const Node& node, const Expr& pattern) const {
        const auto is_of_cell = [&](std::size_t input) {
            const Node& operand = notebook_.nodes()[input];
            return operand.name.empty() && wants_index(operand, pattern_of(operand));
        };
        return has(pattern, Leaf::From::operand_cell) ||
               (has(pattern, Leaf::From::operand) && std::ranges::any_of(node.call.inputs, is_of_cell));
    }

    // Returns the formula with its operands. A call that returns its operand shows it in brackets.
    Expr formula_of(const Node& node, const Expr& pattern, bool of_cell) const {
        const Expr formula = filled(node, pattern, of_cell);
        return pattern.leaf.is_placeholder() ? as_atom(formula) : formula;
    }

    // Puts the operands in their places.
    Expr filled(const Node& node, const Expr& pattern, bool of_cell) const {
        if (pattern.leaf.is_placeholder()) {
            const Leaf& place = pattern.leaf;
            const bool as_cell =
                place.from == Leaf::From::operand ? of_cell : place.from == Leaf::From::operand_cell;
            return value(node.call.inputs.at(place.tensor), as_cell);
        }
        Expr formula = pattern;
        for (Expr& part : formula.parts) {
            part = filled(node, part, of_cell);
        }
        return formula;
    }

    Expr value(std::size_t id, bool as_cell) const {
        const Node& node = notebook_.nodes()[id];
        if (!node.name.empty()) {
            return as_cell ? indexed(node.symbol, node) : node.symbol;
        }
        const Expr pattern = pattern_of(node);
        const bool has_index = has(pattern, Leaf::From::operand_cell) || has(pattern, Leaf::From::operand);
        const bool needs_index = as_cell && !has_index && !node.call.inputs.empty() && node.value.rank() > 0;
        const Expr formula = formula_of(node, pattern, as_cell);
        return needs_index ? indexed(tuple({formula}), node) : formula;
    }

    // If each operand of an elementwise operation has one number per row, so has the result.
    std::string_view cell_index(const Node& node) const {
        const Nodes& nodes = notebook_.nodes();
        const auto is_column = [](const Tensor& x) { return x.rank() == 2 && x.size(-1) == 1; };
        const Node* first = &node;
        while (own_index(*first) == "ij" && !first->call.inputs.empty() && is_column(first->value) &&
               std::ranges::all_of(first->call.inputs,
                                   [&](std::size_t input) { return is_column(nodes[input].value); })) {
            first = &nodes[first->call.inputs[0]];
        }
        return own_index(*first);
    }

    std::string_view own_index(const Node& node) const {
        return node.call.operation->cell_index({node.call, notebook_.operands(node.call)});
    }

    // Adds the index of a cell: a vector has one index, and a single number none.
    Expr indexed(const Expr& formula, const Node& node) const {
        std::string_view index = cell_index(node);
        if (index == "ij" && node.value.rank() < 2) {
            index = node.value.rank() == 1 ? "j" : "";
        }
        return index.empty() ? formula : subscript(formula, letter(index));
    }

    const Notebook& notebook_;
};

}  // namespace

std::string expression(const Notebook& notebook, std::size_t node, Language language) {
    return CodeWriter(notebook, language).value(node);
}

namespace {

// Writes `inputs[0, 1] = 0.5` for each replaced number, as lines after the statement that makes the tensor.
// If a leaf requires a gradient, PyTorch allows a change only through `.data`.
std::string set_numbers(const Node& node, Language language) {
    std::string text;
    for (const auto& [offset, before] : node.set) {
        const Index index = node.value.index(offset);
        const std::string places = joined(std::span(index).first(node.value.rank()));
        const std::string digits = shortest_digits(node.value.values()[offset]);
        if (language == Language::cpp) {
            text += fmt::format("\n{0}.values()[{0}.offset({{{1}}})] = {2}F;", node.name, places, digits);
        } else {
            const bool is_tracked = language == Language::torch && node.requires_grad;
            text += fmt::format("\n{}{}[{}] = {}", node.name, is_tracked ? ".data" : "",
                                places.empty() ? "..." : places, digits);
        }
    }
    return text;
}

std::string statement_alone(const Notebook& notebook, std::size_t id, Language language) {
    const Node& node = notebook.nodes()[id];
    const CodeWriter writer(notebook, language);
    std::string call = writer.call(node);
    if (call.empty() || writer.syntax(node).is_statement()) {
        return call;
    }
    if (language != Language::cpp) {
        return fmt::format("{} = {}", node.name, call);
    }
    const bool changes =  // changed by every draw, or by the reader
        node.call.operation->is_state() || !node.set.empty();
    return fmt::format("{}{} = {};", writer.declarator(id, changes), node.name, call);
}

}  // namespace

std::string statement(const Notebook& notebook, std::size_t id, Language language) {
    return statement_alone(notebook, id, language) + set_numbers(notebook.nodes()[id], language);
}

Expr equation_of(const Notebook& notebook, std::size_t id) {
    return FormulaWriter(notebook).statement(id);
}

std::vector<std::size_t> named_operands(const Notebook& notebook, std::size_t node) {
    std::vector<std::size_t> named;
    for (const std::size_t input : notebook.nodes()[node].call.inputs) {
        const std::vector<std::size_t> found =
            notebook.nodes()[input].name.empty() ? named_operands(notebook, input) : std::vector{input};
        for (const std::size_t id : found) {
            const bool is_generator = notebook.nodes()[id].call.operation->returns == Returns::generator;
            if (!is_generator && !contains(named, id)) {
                named.push_back(id);
            }
        }
    }
    return named;
}

}  // namespace attn
