// Filling the patterns of the rows, with brackets where an operand needs them.
#include "notebook/render.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "notebook/vocabulary.hpp"
#include "tensor/digits.hpp"

namespace attn {

namespace {

// [[0.43, 0.15], [0.55, 0.87]]: nested lists, one innermost row to a line.
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

// Tensor(Shape{6, 3}, {0.43F, 0.15F, …}): one row to a line, as in Python.
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

class Renderer {
public:
    Renderer(const Notebook& notebook, Language language) : notebook_(notebook), language_(language) {}

    // `cell`: as one cell of the node, in a formula about cells.
    std::string value(std::size_t id, bool cell) const {
        const Node& node = notebook_.nodes()[id];
        if (!node.name.empty()) {
            const std::string name = language_ == Language::mathml ? symbol(node.name) : node.name;
            return cell ? indexed(name, node) : name;
        }
        return cell && !speaks_of_cells(node) && node.value.rank() > 0
                   ? indexed("<mrow><mo>(</mo>" + call(node, false) + "<mo>)</mo></mrow>", node)
                   : call(node, cell);
    }

    std::string call(const Node& node, bool cell) const {
        const Syntax syntax = this->syntax(node);
        std::string text = is_hidden(syntax.pattern) ? "attn::" : "";
        int depth = 0;  // inside the pattern's own brackets an operand needs none
        for (std::string_view rest = syntax.pattern; !rest.empty();) {
            if (rest.starts_with("{{") || rest.starts_with("}}")) {
                text += rest[0];
                rest.remove_prefix(2);
            } else if (rest[0] == '{') {
                text += placeholder(node, rest.substr(1, rest.find('}') - 1), cell, depth == 0);
                rest.remove_prefix(rest.find('}') + 1);
            } else {
                depth += static_cast<int>(rest[0] == '(' || rest.starts_with("<mrow>"));
                depth -= static_cast<int>(rest[0] == ')' || rest.starts_with("</mrow>"));
                text += rest[0];
                rest.remove_prefix(1);
            }
        }
        return text;
    }

    // What is made cell by cell of one number per row, such as a difference of sums, is one per row as well.
    std::string_view cell_index(const Node& node) const {
        const std::vector<Node>& nodes = notebook_.nodes();
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
        return node.call.operation->cell_index(node.call, notebook_.operands(node.call));
    }

    Syntax syntax(const Node& node) const {
        return node.call.operation->syntax(language_)(node.call, notebook_.operands(node.call));
    }

    // A vector has one index, and a single number none.
    std::string indexed(const std::string& mathml, const Node& node) const {
        std::string_view index = cell_index(node);
        if (index == "ij" && node.value.rank() < 2) {
            index = node.value.rank() == 1 ? "j" : "";
        }
        return index.empty() ? mathml : fmt::format("<msub>{}<mi>{}</mi></msub>", mathml, index);
    }

    // What stands before a variable in C++, which declares a name once and assigns to it from then on.
    std::string_view declarator(std::size_t id, bool changes) const {
        const std::span nodes(notebook_.nodes());
        const auto is_given = [&](std::span<const Node> among) {
            return std::ranges::find(among, nodes[id].name, &Node::name) != among.end();
        };
        if (is_given(nodes.first(id))) {
            return "";
        }
        return changes || is_given(nodes.subspan(id + 1)) ? "auto " : "const auto ";
    }

private:
    // Whether the function that a C++ pattern calls is hidden by a variable of its name: row_sums.
    bool is_hidden(std::string_view pattern) const {
        const std::string_view function = pattern.substr(0, pattern.find('('));
        return language_ == Language::cpp && function.size() < pattern.size() &&
               std::ranges::find(notebook_.nodes(), function, &Node::name) != notebook_.nodes().end();
    }

    // Otherwise a cell of an unnamed node is its whole formula in brackets, with an index.
    bool speaks_of_cells(const Node& node) const {
        return syntax(node).pattern.find(':') != std::string_view::npos || node.call.inputs.empty();
    }

    std::string placeholder(const Node& node, std::string_view name, bool cell, bool exposed) const {
        std::size_t operand = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), operand);
        if (error == std::errc()) {
            const std::string_view form(end, static_cast<std::size_t>(name.data() + name.size() - end));
            const bool operand_cell = form == ":ij" || (form == ":same" && cell);
            const std::size_t id = node.call.inputs.at(operand);
            const std::string text = value(id, operand_cell);
            return exposed && needs_brackets(node, operand, id, operand_cell) ? bracketed(text) : text;
        }
        if (name == "data") {
            return data(node.value, language_);
        }
        if (name == "name") {
            return node.name;
        }
        if (name == "operands") {
            std::vector<std::string> operands;
            for (const std::size_t id : node.call.inputs) {
                operands.push_back(value(id, false));
            }
            const bool python = language_ == Language::torch || language_ == Language::numpy;
            return fmt::format("{}{}", fmt::join(operands, separator()),
                               python && operands.size() == 1 ? "," : "");  // (x,) is a tuple, (x) is not
        }
        std::vector<std::string_view> texts;
        for (const Number& number : node.call.numbers(name)) {
            texts.push_back(number.in(language_));
        }
        return fmt::format("{}", fmt::join(texts, separator()));
    }

    const char* separator() const { return language_ == Language::mathml ? "<mo>,</mo>" : ", "; }

    // Operators of one rank group from the left: the first operand may hold as tightly, a later one must hold
    // tighter.
    bool needs_brackets(const Node& node, std::size_t operand, std::size_t id, bool cell) const {
        const Node& inner = notebook_.nodes()[id];
        if (!inner.name.empty() || (cell && !speaks_of_cells(inner))) {
            return false;
        }
        const Binding outer_binding = syntax(node).binding;
        const Binding inner_binding = syntax(inner).binding;
        return inner_binding < outer_binding ||
               (operand > 0 && inner_binding == outer_binding && inner_binding != Binding::atom);
    }

    std::string bracketed(const std::string& text) const {
        return language_ == Language::mathml ? "<mrow><mo>(</mo>" + text + "<mo>)</mo></mrow>"
                                             : "(" + text + ")";
    }

    const Notebook& notebook_;
    Language language_;
};

}  // namespace

std::string expression(const Notebook& notebook, std::size_t node, Language language) {
    return Renderer(notebook, language).value(node, false);
}

std::string statement(const Notebook& notebook, std::size_t id, Language language) {
    const Node& node = notebook.nodes()[id];
    const Renderer renderer(notebook, language);
    if (language == Language::mathml) {
        const std::string_view pattern = renderer.syntax(node).pattern;
        if (pattern.empty()) {
            return "";
        }
        const bool is_part = pattern == "{0:same}" &&
                             notebook.nodes()[node.call.inputs[0]].value.shape() != node.value.shape();
        const bool cells =
            pattern.find(":ij") != std::string_view::npos || renderer.own_index(node) != "ij" || is_part;
        const std::string left = cells ? renderer.indexed(symbol(node.name), node) : symbol(node.name);
        const std::string right = renderer.call(node, cells);
        return right.empty() ? "" : left + "<mo>=</mo>" + right;
    }
    std::string call = renderer.call(node, false);
    if (renderer.syntax(node).is_statement()) {
        return call;
    }
    if (language != Language::cpp) {
        return fmt::format("{} = {}", node.name, call);
    }
    const bool changes = node.call.operation->returns >= Returns::generator;  // with every draw
    return fmt::format("{}{} = {};", renderer.declarator(id, changes), node.name, call);
}

std::vector<std::size_t> named_operands(const Notebook& notebook, std::size_t node) {
    std::vector<std::size_t> named;
    for (const std::size_t input : notebook.nodes()[node].call.inputs) {
        const std::vector<std::size_t> found =
            notebook.nodes()[input].name.empty() ? named_operands(notebook, input) : std::vector{input};
        for (const std::size_t id : found) {
            const bool is_generator = notebook.nodes()[id].call.operation->returns == Returns::generator;
            if (!is_generator && std::ranges::find(named, id) == named.end()) {
                named.push_back(id);
            }
        }
    }
    return named;
}

}  // namespace attn
