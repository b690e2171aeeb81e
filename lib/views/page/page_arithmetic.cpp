// Derivations with addresses for their cells, and cells that read alike.
#include "views/page/page_arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "views/explain/derivation.hpp"

namespace attn {

namespace {

constexpr std::size_t most_terms = 64;
constexpr std::ptrdiff_t most_recent = 64;        // patterns that the next cell may follow
constexpr std::size_t least_collected = 1 << 16;  // addresses before the repeated ones are dropped

using Kind = Arithmetic::Kind;

void keep_each_once(std::vector<std::int64_t>& addresses) {
    std::ranges::sort(addresses);
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
}

class Shipper {
public:
    Shipper(const Notebook& notebook, const Derivation& derivation, const Addresses& addresses)
        : notebook_(notebook), lines_(derivation.lines), addresses_(addresses), places_(lines_.size()) {}

    ShippedCell shipped() {
        want(lines_.size() - 1);
        std::int64_t next = -1;
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            if (places_[i]) {
                places_[i] = next--;
                cell_.lines.push_back({lines_[i].part, replaced(lines_[i].arithmetic, [&](const Leaf& leaf) {
                                           return taken(leaf);
                                       })});
            }
        }
        return std::move(cell_);
    }

private:
    // A line is shipped where those that take it are.
    void want(std::size_t line) {
        places_[line] = 0;
        for_each_number(lines_[line].arithmetic, [&](const Leaf& leaf) {
            if (leaf.from == Leaf::From::line && !places_[leaf.of]) {
                want(leaf.of);
            }
        });
    }

    // What the page looks up stays a number; the code's own numbers stand in the arithmetic itself.
    Arithmetic taken(const Leaf& leaf) {
        const Addresses::Place* const place =
            leaf.from == Leaf::From::cell ? addresses_.of(notebook_.nodes()[leaf.of]) : nullptr;
        if (place != nullptr) {
            const Tensor& value = notebook_.nodes()[leaf.of].value;
            cell_.numbers.push_back(place->address + static_cast<std::int64_t>(value.offset(leaf.index)));
        } else if (leaf.from == Leaf::From::line && places_[leaf.of]) {
            cell_.numbers.push_back(*places_[leaf.of]);
        } else {
            return constant(leaf.value);
        }
        return number(leaf.value);
    }

    const Notebook& notebook_;
    const std::vector<Line>& lines_;
    const Addresses& addresses_;
    std::vector<std::optional<std::int64_t>> places_;  // of those wanted, as numbers take them
    ShippedCell cell_;
};

// Whether two read alike but for the numbers that are looked up.
bool is_alike(const Arithmetic& a, const Arithmetic& b) {
    const auto is_same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    return a.kind == b.kind && a.leaf.from == b.leaf.from &&
           (a.leaf.from != Leaf::From::constant || is_same(a.leaf.value, b.leaf.value)) &&
           std::ranges::equal(a.parts, b.parts, is_alike);
}

bool is_alike_line(const ShippedLine& a, const ShippedLine& b) {
    return a.part == b.part && is_alike(a.arithmetic, b.arithmetic);
}

}  // namespace

Addresses::Addresses(const Notebook& notebook) {
    std::int64_t next = 0;
    for (const Node& node : notebook.nodes()) {
        if (!node.name.empty()) {
            places_.push_back({node.name, node.value.shape(), next});
            next += static_cast<std::int64_t>(node.value.count());
        }
    }
}

const Addresses::Place* Addresses::of(const Node& node) const {
    const auto found = std::ranges::find(places_, node.name, &Place::name);
    const bool fits = !node.name.empty() && found != places_.end() && found->shape == node.value.shape();
    return fits ? &*found : nullptr;
}

const Addresses::Place& Addresses::at(std::int64_t address) const {
    return *std::prev(std::ranges::upper_bound(places_, address, {}, &Place::address));
}

ShippedCell shipped_cell(const Notebook& notebook, std::size_t node, const Index& cell,
                         const Addresses& addresses) {
    const Derivation derivation = derive(notebook, node, cell, most_terms);
    return Shipper(notebook, derivation, addresses).shipped();
}

bool CellPattern::takes(const Index& cell, const ShippedCell& shipped) {
    if (!std::ranges::equal(first_.lines, shipped.lines, is_alike_line)) {
        return false;
    }
    std::vector<std::int64_t> rest = shipped.numbers;  // what known growth does not account for
    std::optional<std::size_t> unknown;
    for (std::size_t axis = 0; axis < cell.size(); ++axis) {
        if (cell[axis] == first_cell_[axis]) {
            continue;
        }
        if (!growth_[axis]) {
            if (unknown && !rest.empty()) {
                return false;
            }
            unknown = axis;
            continue;
        }
        for (std::size_t i = 0; i < rest.size(); ++i) {
            rest[i] -= steps_along(axis, cell) * (*growth_[axis])[i];
        }
    }
    if (!unknown) {
        return rest == first_.numbers;
    }
    for (std::size_t i = 0; i < rest.size(); ++i) {
        rest[i] -= first_.numbers[i];
        if (rest[i] % steps_along(*unknown, cell) != 0) {
            return false;
        }
        rest[i] /= steps_along(*unknown, cell);
    }
    growth_[*unknown] = std::move(rest);
    return true;
}

Json CellPattern::json() const {
    std::size_t next = 0;
    Json lines = Json::array();
    for (const ShippedLine& line : first_.lines) {
        Json arithmetic = json(line.arithmetic, next);
        lines.push_back(Json::array({line.part, std::move(arithmetic)}));
    }
    return lines;
}

Json CellPattern::json(const Arithmetic& arithmetic, std::size_t& next) const {
    if (arithmetic.kind == Kind::leaf) {
        return arithmetic.is_one_number() ? growing(next++) : Json(arithmetic.leaf.value);
    }
    Json parts = Json::array({typeset_sign(arithmetic.kind)});
    for (const Arithmetic& part : arithmetic.parts) {
        parts.push_back(json(part, next));
    }
    return parts;
}

// What the number would be in the step's first cell, and its growth along the axes up to the last it has any.
Json CellPattern::growing(std::size_t number) const {
    std::vector<std::int64_t> numbers{first_.numbers[number]};
    for (std::size_t axis = 0; axis < growth_.size(); ++axis) {
        numbers.push_back(growth_[axis] ? (*growth_[axis])[number] : 0);
        numbers.front() -= static_cast<std::int64_t>(first_cell_[axis]) * numbers.back();
    }
    while (numbers.size() > 1 && numbers.back() == 0) {
        numbers.pop_back();
    }
    return numbers;
}

std::int64_t CellPattern::steps_along(std::size_t axis, const Index& cell) const {
    return static_cast<std::int64_t>(cell[axis]) - static_cast<std::int64_t>(first_cell_[axis]);
}

bool StepArithmetic::explains() const {
    return patterns.size() <= 2 || std::ranges::any_of(patterns, &CellPattern::looks_up);
}

StepArithmetic step_arithmetic(const Notebook& notebook, std::size_t node, const std::vector<Index>& cells,
                               const Addresses& addresses) {
    StepArithmetic step;
    std::size_t room = least_collected;
    for (const Index& cell : cells) {
        ShippedCell shipped = shipped_cell(notebook, node, cell, addresses);
        std::ranges::copy_if(shipped.numbers, std::back_inserter(step.addresses),
                             [](std::int64_t number) { return number >= 0; });
        if (step.addresses.size() > room) {
            keep_each_once(step.addresses);
            room = std::max(room, 2 * step.addresses.size());
        }
        const auto older = static_cast<std::ptrdiff_t>(step.patterns.size()) - most_recent;
        const auto recent = step.patterns.begin() + std::max<std::ptrdiff_t>(older, 0);
        const auto pattern = std::find_if(recent, step.patterns.end(),
                                          [&](CellPattern& known) { return known.takes(cell, shipped); });
        step.cells.push_back(static_cast<std::size_t>(pattern - step.patterns.begin()));
        if (pattern == step.patterns.end()) {
            step.patterns.emplace_back(cell, std::move(shipped));
        }
    }
    keep_each_once(step.addresses);
    return step;
}

Json arithmetic_json(const StepArithmetic& step) {
    Json patterns = Json::array();
    for (const CellPattern& pattern : step.patterns) {
        patterns.push_back(pattern.json());
    }
    std::vector<std::size_t> runs;
    for (std::size_t from = 0, to = 0; from < step.cells.size(); from = to) {
        while (to < step.cells.size() && step.cells[to] == step.cells[from]) {
            ++to;
        }
        runs.push_back(to - from);
        runs.push_back(step.cells[from]);
    }
    return {{"patterns", std::move(patterns)}, {"cells", std::move(runs)}};
}

}  // namespace attn
