// Unnamed operands are put into the arithmetic that uses them, in brackets where they need them, as long as
// the line stays short and none is needed twice. Those that only move a number are never seen.
#include "views/explain/derivation.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "text/arithmetic.hpp"

namespace attn {

namespace {

constexpr std::size_t most_places = 8;  // of a line that others are put into

using CellKey = std::pair<std::size_t, std::size_t>;  // node, offset

// Arithmetic that is no line yet.
struct Arithmetic {
    std::string text;
    std::vector<Term> terms;
};

bool is_one_number(std::string_view text) {
    return text == "{}";
}

// How tightly a text holds together.
Binding binding(std::string_view text) {
    if (outermost(text, " + ").size() > 1 || outermost(text, " − ").size() > 1) {
        return Binding::sum;
    }
    const bool is_product = outermost(text, "·").size() > 1 || outermost(text, "/").size() > 1;
    return is_product ? Binding::product : Binding::atom;
}

// Whether arithmetic needs brackets between two texts.
bool needs_brackets(std::string_view before, std::string_view inner, std::string_view after) {
    const auto ends = [&](std::string_view sign) { return before.ends_with(sign); };
    const bool divides = ends("/ ");
    const bool multiplies = ends("·") || ends("· ") || after.starts_with("·") || after.starts_with(" ·") ||
                            after.starts_with(" /");
    const Binding holds = binding(inner);
    return holds == Binding::sum ? divides || multiplies || ends("− ")
                                 : holds == Binding::product && (divides || ends("· "));
}

class Deriver {
public:
    explicit Deriver(const Notebook& notebook) : notebook_(notebook) {}

    Derivation derive(std::size_t id, const Index& cell) {
        follow_reasons(id, cell);
        Arithmetic last = arithmetic(id, cell);
        add_line(id, cell, "", std::move(last));
        return std::move(derivation_);
    }

private:
    const Node& node(std::size_t id) const { return notebook_.nodes()[id]; }

    // Asked for again and again; and to draw a number anew may take a million draws.
    const Explanation& explain(std::size_t id, const Index& cell) const {
        const CellKey key{id, node(id).value.offset(cell)};
        const auto found = explanations_.find(key);
        if (found != explanations_.end()) {
            return found->second;
        }
        const Call& call = node(id).call;
        Explanation explanation =
            call.operation->explain(call, notebook_.operands(call), node(id).value, cell);
        return explanations_.emplace(key, std::move(explanation)).first->second;
    }

    std::size_t add_line(std::size_t id, const Index& cell, std::string_view part, Arithmetic&& arithmetic) {
        std::vector<double> values;
        for (const Term& term : arithmetic.terms) {
            values.push_back(term.value);
        }
        const double value =
            part.empty() ? static_cast<double>(node(id).value.at(cell)) : evaluate(arithmetic.text, values);
        derivation_.lines.push_back(
            {id, cell, part, std::move(arithmetic.text), std::move(arithmetic.terms), value});
        return derivation_.lines.size() - 1;
    }

    // The cell's own arithmetic; lines it needs are added before.
    Arithmetic arithmetic(std::size_t id, const Index& cell) {
        const Explanation& explanation = explain(id, cell);
        const bool put_in = explanation.parts.empty() && reads_well_put_in(id, explanation);
        std::vector<std::size_t> parts;  // their lines
        for (const Part& part : explanation.parts) {
            Arithmetic way = filled(id, part.text, part.cells, parts, false);
            parts.push_back(add_line(id, part.index, part.id, std::move(way)));
        }
        return filled(id, explanation.text, explanation.cells, parts, put_in);
    }

    // A layer is no tensor, and nothing a reader could look up.
    bool is_named(std::size_t id) const {
        return !node(id).name.empty() && node(id).call.operation->is_tensor();
    }

    // The reason the row gives for a cell, and those for what the reason speaks of.
    void add_reason(std::size_t id, const Index& cell, const Reason& reason) {
        const auto is_known = [&](const CellReason& known) {
            return known.node == id && known.index == cell;
        };
        if (reason.id.empty() || std::ranges::any_of(derivation_.reasons, is_known)) {
            return;
        }
        CellReason known{reason.id, {}, id, cell};
        for (const Fact& fact : reason.facts) {
            if (!fact.text.empty() || fact.cell.operand == Cell::number) {
                known.facts.push_back({fact.name, fact.cell.value, fact.text});
                continue;
            }
            const auto [from, index] = looked_up(node(id).call.inputs[fact.cell.operand], fact.cell.index);
            known.facts.push_back(
                {fact.name, static_cast<double>(node(from).value.at(index)), "", from, index, true});
        }
        derivation_.reasons.push_back(known);
        for (const CellReason::Known& fact : known.facts) {
            if (fact.is_cell) {
                follow_reasons(fact.node, fact.index);
            }
        }
    }

    // What a reader can look up in place of a cell: that of the named tensor behind mask.bool().
    std::pair<std::size_t, Index> looked_up(std::size_t id, Index cell) const {
        while (!is_named(id)) {
            const Explanation& explanation = explain(id, cell);
            if (explanation.cells.empty() || explanation.cells[0].operand >= node(id).call.inputs.size()) {
                break;
            }
            id = node(id).call.inputs[explanation.cells[0].operand];
            cell = explanation.cells[0].index;
        }
        return {id, cell};
    }

    // That of a leaf which has no step of its own to be told at.
    void add_lasting_reason(std::size_t id, const Index& cell) {
        if (node(id).role == Role::line && node(id).call.inputs.empty()) {
            const Explanation& explanation = explain(id, cell);
            if (explanation.reason.lasts) {
                add_reason(id, cell, explanation.reason);
            }
        }
    }

    // The reasons along the way of a number that is only moved, to the next named tensor.
    void follow_reasons(std::size_t id, Index cell) {
        for (;;) {
            const Explanation& explanation = explain(id, cell);
            add_reason(id, cell, explanation.reason);
            const std::optional<Cell> from = single_operand(id, explanation);
            if (!from || is_named(node(id).call.inputs[from->operand])) {
                return;
            }
            id = node(id).call.inputs[from->operand];
            cell = from->index;
        }
    }

    // The cell whose number this is, unchanged.
    std::optional<Cell> single_operand(std::size_t id, const Explanation& explanation) const {
        const bool moves =
            is_one_number(explanation.text) && explanation.cells[0].operand < node(id).call.inputs.size();
        return moves ? std::optional(explanation.cells[0]) : std::nullopt;
    }

    // Follows a cell of an operand through what only moves it, to a named tensor or to arithmetic.
    std::pair<std::size_t, Index> source(std::size_t id, Index cell) const {
        while (!is_named(id)) {
            const std::optional<Cell> from = single_operand(id, explain(id, cell));
            if (!from) {
                break;
            }
            id = node(id).call.inputs[from->operand];
            cell = from->index;
        }
        return {id, cell};
    }

    // Whether all unnamed operands fit into one line with this explanation.
    bool reads_well_put_in(std::size_t id, const Explanation& explanation) const {
        std::size_t places = count_places(explanation.text);
        std::map<CellKey, int> uses;
        for (const Cell& cell : explanation.cells) {
            if (places > most_places) {
                return false;
            }
            if (cell.operand >= node(id).call.inputs.size()) {
                continue;
            }
            const auto [from, index] = source(node(id).call.inputs[cell.operand], cell.index);
            if (is_named(from)) {
                continue;
            }
            const Explanation& inner = explain(from, index);
            if (is_one_number(inner.text)) {
                continue;
            }
            if (!inner.parts.empty() || ++uses[{from, node(from).value.offset(index)}] > 1 ||
                !reads_well_put_in(from, inner)) {
                return false;
            }
            places += count_places(inner.text) - 1;
        }
        return places <= most_places;
    }

    // The text with a term for each `{}`, or with arithmetic put in for it.
    Arithmetic filled(std::size_t id, std::string_view text, const std::vector<Cell>& cells,
                      const std::vector<std::size_t>& parts, bool put_in) {
        Arithmetic result;
        for (const Cell& cell : cells) {
            const std::size_t place = text.find("{}");
            result.text += text.substr(0, place);
            text.remove_prefix(place + 2);
            add_cell(result, text, id, cell, parts, put_in);
        }
        result.text += text;
        return result;
    }

    void add_cell(Arithmetic& result, std::string_view after, std::size_t id, const Cell& cell,
                  const std::vector<std::size_t>& parts, bool put_in) {
        if (cell.operand == Cell::number) {
            add_term(result, {Term::From::number, cell.value, 0, {}, 0, cell.reads});
            return;
        }
        if (cell.operand == Cell::part) {
            add_term(result, line_term(parts.at(cell.index[0])));
            return;
        }
        const auto [from, index] = source(node(id).call.inputs[cell.operand], cell.index);
        const double value = static_cast<double>(node(from).value.at(index));
        if (is_named(from)) {
            add_lasting_reason(from, index);
            add_term(result, {Term::From::cell, value, from, index});
            return;
        }
        const Explanation& inner = explain(from, index);
        if (put_in) {
            add_reason(from, index, inner.reason);
        }
        if (is_one_number(inner.text)) {
            add_term(result, {Term::From::number, value, 0, {}, 0, inner.cells[0].reads});
        } else if (put_in) {
            Arithmetic part = arithmetic(from, index);
            const bool brackets = needs_brackets(result.text, part.text, after);
            result.text += brackets ? "(" + part.text + ")" : part.text;
            std::ranges::move(part.terms, std::back_inserter(result.terms));
        } else {
            add_term(result, line_term(line_of(from, index)));
        }
    }

    static void add_term(Arithmetic& result, const Term& term) {
        result.text += "{}";
        result.terms.push_back(term);
    }

    Term line_term(std::size_t line) const {
        return {Term::From::line, derivation_.lines[line].value, 0, {}, line};
    }

    // The line that computes a cell of an unnamed node.
    std::size_t line_of(std::size_t id, const Index& cell) {
        const CellKey key{id, node(id).value.offset(cell)};
        const auto found = lines_.find(key);
        if (found != lines_.end()) {
            return found->second;
        }
        Arithmetic own = arithmetic(id, cell);
        return lines_[key] = add_line(id, cell, "", std::move(own));
    }

    const Notebook& notebook_;
    Derivation derivation_;
    std::map<CellKey, std::size_t> lines_;
    mutable std::map<CellKey, Explanation> explanations_;
};

}  // namespace

Derivation derive(const Notebook& notebook, std::size_t node, const Index& cell) {
    return Deriver(notebook).derive(node, cell);
}

}  // namespace attn
