// Writes unnamed operands into the arithmetic that uses them, if the line stays short and no operand is used
// twice. Operands that only move a number are skipped.
#include "views/explain/derivation.hpp"

#include <algorithm>
#include <optional>

#include "text/lists.hpp"

namespace attn {

namespace {

constexpr std::size_t most_inserted = 8;   // limit for a line with inserted operands
constexpr std::size_t long_one = 64;       // numbers of a long explanation
constexpr std::size_t most_kept = 50'000;  // numbers of long explanations; each takes some 300 bytes

std::size_t numbers_in(const Explanation& explanation) {
    std::size_t count = count_numbers(explanation.arithmetic);
    for (const Part& part : explanation.parts) {
        count += count_numbers(part.arithmetic);
    }
    return count;
}

void forget_long_ones(KnownCells& known) {
    if (known.long_ones > most_kept) {
        known.long_ones = 0;
        std::erase_if(known.explanations, [](const auto& one) { return numbers_in(one.second) >= long_one; });
    }
}

std::optional<Leaf> first_number(const Expr& arithmetic) {
    std::optional<Leaf> first;
    for_each_number(arithmetic, [&](const Leaf& leaf) { first = first ? first : leaf; });
    return first;
}

class Deriver {
public:
    Deriver(const Notebook& notebook, KnownCells& known) : notebook_(notebook), known_(known) {}

    Derivation derive(std::size_t id, const Index& cell) {
        follow_reasons(id, cell);
        Expr last = arithmetic(id, cell);
        add_line(id, cell, "", std::move(last));
        return std::move(derivation_);
    }

private:
    const Node& node(std::size_t id) const { return notebook_.nodes()[id]; }

    const Explanation& explain(std::size_t id, const Index& cell) const {
        const KnownCells::Key key{id, node(id).value.offset(cell)};
        const auto found = known_.explanations.find(key);
        if (found != known_.explanations.end()) {
            return found->second;
        }
        const Call& call = node(id).call;
        const bool is_set = contains(node(id).set, key.second, &Replaced::offset);
        Explanation explanation =
            is_set ? Explanation{number(double(node(id).value.at(cell))), {}, {"set"}}
                   : explanation_of({{call, notebook_.operands(call)}, node(id).value, cell},
                                    known_.sources[id]);
        const std::size_t count = numbers_in(explanation);
        known_.long_ones += count >= long_one ? count : 0;
        return known_.explanations.emplace(key, std::move(explanation)).first->second;
    }

    std::size_t add_line(std::size_t id, const Index& cell, std::string_view part, Expr&& arithmetic) {
        const double value = part.empty() ? double(node(id).value.at(cell)) : arithmetic.value();
        derivation_.lines.push_back({id, cell, part, std::move(arithmetic), value});
        return derivation_.lines.size() - 1;
    }

    // Adds the lines that a cell's arithmetic needs, and returns the arithmetic.
    Expr arithmetic(std::size_t id, const Index& cell) {
        const Explanation& explanation = explain(id, cell);
        const bool put_in = explanation.parts.empty() && reads_well_put_in(id, explanation);
        std::vector<std::size_t> parts;  // the lines of the explanation's parts
        for (const Part& part : explanation.parts) {
            parts.push_back(add_line(id, part.index, part.id, derived(id, part.arithmetic, parts, false)));
        }
        return derived(id, explanation.arithmetic, parts, put_in);
    }

    // Layers are excluded, because readers cannot look up their numbers.
    bool is_named(std::size_t id) const {
        return !node(id).name.empty() && node(id).call.operation->is_tensor();
    }

    // Adds the reason that the operation's row gives for a cell, and the reasons for cells that it mentions.
    void add_reason(std::size_t id, const Index& cell, const Reason& reason) {
        const auto is_known = [&](const CellReason& known) {
            return known.node == id && known.index == cell;
        };
        if (reason.id.empty() || std::ranges::any_of(derivation_.reasons, is_known)) {
            return;
        }
        CellReason known{reason, id, cell};
        std::vector<std::pair<std::size_t, Index>> cells;
        for (Fact& fact : known.reason.facts) {
            if (fact.number.from == Leaf::From::cell) {
                cells.push_back(source(node(id).call.inputs[fact.number.tensor], fact.number.index, true));
                const auto& [from, index] = cells.back();
                fact.number = cell_of(from, index, double(node(from).value.at(index))).leaf;
            }
        }
        derivation_.reasons.push_back(std::move(known));
        for (const auto& [from, index] : cells) {
            follow_reasons(from, index);
        }
    }

    // Adds the reason for a cell of a tensor that no step shows.
    void add_lasting_reason(std::size_t id, const Index& cell) {
        if (node(id).role == Role::line && node(id).call.inputs.empty()) {
            const Explanation& explanation = explain(id, cell);
            if (explanation.reason.lasts) {
                add_reason(id, cell, explanation.reason);
            }
        }
    }

    // Follows a number that is only moved back to a named tensor, and adds the reasons on the way.
    void follow_reasons(std::size_t id, const Index& cell) {
        add_reason(id, cell, explain(id, cell).reason);
        if (const auto from = origin(id, cell); from && !is_named(from->first)) {
            follow_reasons(from->first, from->second);
        }
    }

    // Returns the operand's cell from which the number comes unchanged, or also the first of arithmetic.
    std::optional<std::pair<std::size_t, Index>> origin(std::size_t id, const Index& cell,
                                                        bool of_arithmetic = false) const {
        const Expr& arithmetic = explain(id, cell).arithmetic;
        const bool is_followed = of_arithmetic || arithmetic.is_one_number();
        const std::optional<Leaf> from = is_followed ? first_number(arithmetic) : std::nullopt;
        if (!from || from->from != Leaf::From::cell) {
            return std::nullopt;
        }
        return std::pair(node(id).call.inputs[from->tensor], from->index);
    }

    // Follows a cell back to a named tensor or to arithmetic. With `of_arithmetic`, it goes on to a cell that
    // readers can look up instead, such as the mask's cell for a cell of mask.bool().
    std::pair<std::size_t, Index> source(std::size_t id, const Index& cell,
                                         bool of_arithmetic = false) const {
        const auto from = is_named(id) ? std::nullopt : origin(id, cell, of_arithmetic);
        return from ? source(from->first, from->second, of_arithmetic) : std::pair(id, cell);
    }

    // Returns true if all unnamed operands fit into one line with this explanation.
    bool reads_well_put_in(std::size_t id, const Explanation& explanation) const {
        std::size_t count = count_numbers(explanation.arithmetic, most_inserted + 1);
        if (count > most_inserted) {
            return false;
        }
        bool reads_well = true;
        std::map<KnownCells::Key, int> uses;
        for_each_number(explanation.arithmetic, [&](const Leaf& leaf) {
            if (leaf.from != Leaf::From::cell) {
                return;
            }
            const auto [from, index] = source(node(id).call.inputs[leaf.tensor], leaf.index);
            const Explanation* const inner = is_named(from) ? nullptr : &explain(from, index);
            if (inner != nullptr && !inner->arithmetic.is_one_number()) {
                reads_well = reads_well && inner->parts.empty() &&
                             ++uses[{from, node(from).value.offset(index)}] == 1 &&
                             reads_well_put_in(from, *inner);
                count += count_numbers(inner->arithmetic, most_inserted + 1) - 1;
            }
        });
        return reads_well && count <= most_inserted;
    }

    // Returns the explanation's arithmetic, with each number looked up or replaced by the arithmetic that
    // gives it.
    Expr derived(std::size_t id, const Expr& arithmetic, const std::vector<std::size_t>& parts, bool put_in) {
        return replaced(arithmetic, [&](const Leaf& leaf) {
            return leaf.from == Leaf::From::cell
                       ? derived_cell(node(id).call.inputs[leaf.tensor], leaf, put_in)
                   : leaf.from == Leaf::From::line ? line_term(parts.at(leaf.line))
                                                   : Expr{Operator::leaf, leaf};
        });
    }

    Expr derived_cell(std::size_t operand, const Leaf& cell, bool put_in) {
        const auto [from, index] = source(operand, cell.index);
        const double value = double(node(from).value.at(index));
        if (is_named(from)) {
            add_lasting_reason(from, index);
            return cell_of(from, index, value);
        }
        const Explanation& inner = explain(from, index);
        if (put_in) {
            add_reason(from, index, inner.reason);
        }
        if (inner.arithmetic.is_one_number()) {
            Expr shown = number(value);
            shown.leaf.spelling = inner.arithmetic.leaf.spelling;
            return shown;
        }
        return put_in ? arithmetic(from, index) : line_term(line_of(from, index));
    }

    Expr line_term(std::size_t line) const { return earlier_line(line, derivation_.lines[line].value); }

    // Returns the line that computes a cell of an unnamed node.
    std::size_t line_of(std::size_t id, const Index& cell) {
        const KnownCells::Key key{id, node(id).value.offset(cell)};
        const auto found = lines_.find(key);
        if (found != lines_.end()) {
            return found->second;
        }
        Expr own = arithmetic(id, cell);
        return lines_[key] = add_line(id, cell, "", std::move(own));
    }

    const Notebook& notebook_;
    KnownCells& known_;
    Derivation derivation_;
    std::map<KnownCells::Key, std::size_t> lines_;
};

}  // namespace

Derivation derive(const Notebook& notebook, std::size_t node, const Index& cell, KnownCells& known) {
    forget_long_ones(known);
    return Deriver(notebook, known).derive(node, cell);
}

}  // namespace attn
