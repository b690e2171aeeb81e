// Replaces numbers in derivations by addresses, and groups cells whose derivations have the same form.
#include "views/page/page_arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "views/explain/arithmetic_text.hpp"
#include "views/explain/derivation.hpp"
#include "views/heatmap/shading.hpp"

namespace attn {

namespace {

constexpr std::size_t most_terms = 1024;  // longer sums are not followed to their end
constexpr std::size_t most_shown = 12;    // a line with more terms shows only its first and last ones
constexpr std::size_t first_shown = 4;
constexpr std::size_t most_recent = 64;  // a cell is compared with this many patterns
constexpr int more_digits = 6;           // extra decimals that may be needed to make the printed line correct
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// A number that is linear in the indices of a cell: an address, or -1 - k for the result of line k.
struct Affine {
    std::int64_t base = 0;  // the number's value for the cell with all indices 0
    std::array<std::int64_t, Shape::max_rank> growth{};

    std::int64_t at(const Index& cell) const {
        std::int64_t number = base;
        for (std::size_t axis = 0; axis < cell.size(); ++axis) {
            number += growth[axis] * static_cast<std::int64_t>(cell[axis]);
        }
        return number;
    }
    bool operator==(const Affine&) const = default;
};

Affine operator+(Affine a, const Affine& b) {
    a.base += b.base;
    for (std::size_t axis = 0; axis < a.growth.size(); ++axis) {
        a.growth[axis] += b.growth[axis];
    }
    return a;
}

Affine operator*(std::int64_t factor, Affine a) {
    a.base *= factor;
    for (std::int64_t& growth : a.growth) {
        growth *= factor;
    }
    return a;
}

// A line, and the addresses of its numbers (cells and results of lines), in the order of the text.
struct ReadLine {
    std::string_view part;
    Expr arithmetic;
    std::size_t first;  // the index of the line's first number among all numbers of the cell
    std::size_t count;
    bool is_cell;  // true if the line computes a cell of an unnamed tensor; its last number is this cell
};

struct Cell {
    std::vector<ReadLine> lines;
    std::vector<std::int64_t> numbers;
};

// The derivation of a cell, without lines that the last line does not need.
class Reading {
public:
    Reading(const Notebook& notebook, std::size_t node, const Index& cell, const Memory& memory)
        : derivation_(derive(notebook, node, cell, most_terms)),
          notebook_(notebook),
          memory_(memory),
          places_(derivation_.lines.size()) {
        want(places_.size() - 1);
        std::int64_t next = -1;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            if (places_[i]) {
                places_[i] = next--;
                const DerivationLine& line = derivation_.lines[i];
                const std::size_t first = read_.numbers.size();
                Expr arithmetic = replaced(line.arithmetic, [&](const Leaf& leaf) { return taken(leaf); });
                const bool is_cell = line.part.empty() && i + 1 < places_.size();
                if (is_cell) {
                    read_.numbers.push_back(address(line.node, line.index));
                }
                read_.lines.push_back(
                    {line.part, std::move(arithmetic), first, read_.numbers.size() - first, is_cell});
            }
        }
    }

    Cell take() { return std::move(read_); }

private:
    void want(std::size_t line) {
        places_[line] = 0;
        for_each_number(derivation_.lines[line].arithmetic, [&](const Leaf& leaf) {
            if (leaf.from == Leaf::From::line && !places_[leaf.of]) {
                want(leaf.of);
            }
        });
    }

    std::int64_t address(std::size_t node, const Index& cell) const {
        const auto offset = notebook_.nodes()[node].value.offset(cell);
        return memory_.address_of(node) + static_cast<std::int64_t>(offset);
    }

    // Numbers of tensors keep addresses; numbers in the code become constants.
    Expr taken(const Leaf& leaf) {
        if (leaf.from == Leaf::From::cell && memory_.address_of(leaf.of) < Memory::unnamed) {
            read_.numbers.push_back(address(leaf.of, leaf.index));
            return number(leaf.value);
        }
        if (leaf.from == Leaf::From::line) {
            read_.numbers.push_back(places_[leaf.of].value());
            return number(leaf.value);
        }
        Expr own = constant(leaf.value);
        own.leaf.reads = leaf.reads;
        return own;
    }

    Derivation derivation_;
    const Notebook& notebook_;
    const Memory& memory_;
    std::vector<std::optional<std::int64_t>> places_;  // the number -1 - k for each needed line k
    Cell read_;
};

bool is_alike(const Expr& a, const Expr& b) {
    const auto is_same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    return a.op == b.op && a.leaf.from == b.leaf.from &&
           (a.leaf.from != Leaf::From::constant || is_same(a.leaf.value, b.leaf.value)) &&
           std::ranges::equal(a.parts, b.parts, is_alike);
}

// Returns true for arithmetic such as x * 0 / (1 - 0.5), in which constants show that a number is dropped.
bool has_constant(const Expr& arithmetic) {
    return (arithmetic.op == Operator::leaf && arithmetic.leaf.from == Leaf::From::constant) ||
           std::ranges::any_of(arithmetic.parts, has_constant);
}

bool is_alike_line(const ReadLine& a, const ReadLine& b) {
    return a.part == b.part && is_alike(a.arithmetic, b.arithmetic);
}

// Returns the magnitude on which the rounding error depends. For a sum, it is that of its largest term.
double magnitude(const Expr& arithmetic, double value, const std::function<double(const Leaf&)>& value_of) {
    if (arithmetic.op != Operator::sum && arithmetic.op != Operator::difference) {
        return std::abs(value);
    }
    double all = 0.0;
    for (const Expr& part : arithmetic.parts) {
        all += std::abs(evaluate(part, value_of));
    }
    return all;
}

double single(double value) {
    return static_cast<double>(static_cast<float>(value));
}

// A pattern: a group of cells whose arithmetic has the same form.
class Pattern {
public:
    Pattern(Index cell, CellKind kind, Cell read)
        : origin_(std::move(cell)), kinds_{kind}, read_(std::move(read)) {
        for (const std::int64_t number : read_.numbers) {
            numbers_.push_back({number, {}});
        }
    }

    bool looks_up() const { return !read_.numbers.empty(); }

    // Returns true if the known changes along the axes lead from the first cell to this cell.
    bool reaches(const Index& cell) const {
        for (std::size_t axis = 0; axis < cell.size(); ++axis) {
            if (cell[axis] != origin_[axis] && !known_[axis]) {
                return false;
            }
        }
        return true;
    }

    // Returns true if the pattern fits a cell whose arithmetic is known. The second cell along an axis
    // defines how numbers change along it.
    bool takes(const Index& cell, CellKind kind, const Cell& other) {
        if (!std::ranges::equal(read_.lines, other.lines, is_alike_line)) {
            return false;
        }
        // The part of the differences that known changes do not explain.
        std::vector<std::int64_t> rest = other.numbers;
        std::optional<std::size_t> unknown;
        for (std::size_t i = 0; i < rest.size(); ++i) {
            rest[i] -= numbers_[i].at(cell);
        }
        for (std::size_t axis = 0; axis < cell.size(); ++axis) {
            if (cell[axis] != origin_[axis] && !known_[axis]) {
                if (unknown && !rest.empty()) {
                    return false;
                }
                unknown = axis;
            }
        }
        const auto first = static_cast<std::int64_t>(unknown ? origin_[*unknown] : 0);
        const std::int64_t distance = unknown ? static_cast<std::int64_t>(cell[*unknown]) - first : 0;
        if (std::ranges::any_of(rest, [&](std::int64_t x) { return unknown ? x % distance != 0 : x != 0; })) {
            return false;
        }
        if (unknown) {
            for (std::size_t i = 0; i < rest.size(); ++i) {
                numbers_[i].growth[*unknown] = rest[i] / distance;
                numbers_[i].base -= rest[i] / distance * first;
            }
            known_.set(*unknown);
            last_.reset();
        }
        if (!has_constant(read_.lines.back().arithmetic)) {
            kinds_.insert(kind);
        }
        return true;
    }

    // Returns true if the pattern's arithmetic gives this value at a cell.
    bool gives(const Index& cell, CellKind kind, double value, const Memory& memory) {
        if (!kinds_.contains(kind)) {
            return false;
        }
        const std::vector<double>& results = evaluated(cell, memory);
        const double found = results.back();
        if (found == value || (std::isnan(found) && std::isnan(value))) {
            return true;
        }
        const ReadLine& last = read_.lines.back();
        std::size_t next = last.first;
        const double size = magnitude(last.arithmetic, found, [&](const Leaf& leaf) {
            return look_up(leaf, next, cell, results, memory);
        });
        return std::abs(found - value) <= 4e-6 * size;
    }

    // Sets the addresses in the lines that are shown. Afterwards, the pattern no longer changes.
    void finish(const Shape& shown, Memory& memory) {
        for (std::size_t i = 0; i < read_.lines.size(); ++i) {
            add_result(i, shown);
            const bool follows = i > 0 && continues(i);
            groups_.push_back(follows ? groups_.back() : i);
        }
        for (std::size_t i = 0; i < read_.lines.size(); ++i) {
            results_[i].base = memory.reserve(sizes_[i]);
        }
        visited_.resize(read_.lines.size());
        last_.reset();
        show({static_cast<std::int64_t>(read_.lines.size()) - 1, {}});
    }

    // Stores the results of a cell's lines. Returns how many digits the lines need, or 0 if no number of
    // digits is enough.
    int record(const Index& cell, double value, int precision, Memory& memory) {
        const std::vector<double>& results = evaluated(cell, memory);
        recorded_.resize(results.size());
        for (std::size_t i = 0; i + 1 < results.size(); ++i) {
            if (has_moved(i)) {
                const ReadLine& line = read_.lines[i];
                recorded_[i] =
                    line.is_cell ? memory.at(numbers_[line.first + line.count - 1].at(cell)) : results[i];
                memory.set_result(results_[i].at(cell), recorded_[i]);
            }
        }
        recorded_.back() = value;
        for (int digits = precision; digits <= precision + more_digits; ++digits) {
            if (std::ranges::all_of(shown_, [&](const Shown& line) {
                    return is_true(static_cast<std::size_t>(line.line.at(cell)), cell, precision, digits,
                                   memory);
                })) {
                return digits;
            }
        }
        return 0;
    }

    // Returns true if the lines that are shown also belong to this cell: in each group, it is the same line
    // as for the first cell.
    bool covers(const Index& cell) const {
        return std::ranges::all_of(shown_, [&](const Shown& line) {
            const std::int64_t which = line.line.at(cell);
            return which >= 0 && which < static_cast<std::int64_t>(groups_.size()) &&
                   groups_[static_cast<std::size_t>(which)] == line.first;
        });
    }

    Json json() const {
        Json lines = Json::array();
        for (const Shown& shown : shown_) {
            const bool is_last = &shown == &shown_.back();
            const ReadLine& line = read_.lines[shown.first];
            Json parts = Json::array({line.part, pieces(shown, line)});
            if (!is_last) {
                parts.push_back(hole(result_of(shown.line)));
            }
            lines.push_back(std::move(parts));
        }
        return lines;
    }

private:
    // Axes, and a bit that stands for the first evaluation.
    using Axes = std::bitset<Shape::max_rank + 1>;
    static constexpr std::size_t always = Shape::max_rank;

    struct Shown {
        Affine line;        // the number of the line, which may depend on the cell
        std::size_t first;  // the first line of the group to which the line belongs
        std::vector<Affine> numbers;
    };

    double look_up(const Leaf& leaf, std::size_t& next, const Index& cell, const std::vector<double>& results,
                   const Memory& memory) const {
        if (leaf.from == Leaf::From::constant) {
            return leaf.value;
        }
        const std::int64_t number = numbers_[next++].at(cell);
        if (number >= 0) {
            return memory.at(number);
        }
        const auto line = static_cast<std::size_t>(-1 - number);
        return line < results.size() ? results[line] : not_a_number;
    }

    bool has_moved(std::size_t line) const { return (varying_[line] & moved_).any(); }

    // Returns the results of a cell's lines. If a line has the same numbers as for the previous cell, its
    // result is reused.
    const std::vector<double>& evaluated(const Index& cell, const Memory& memory) {
        if (!last_) {
            varying_.clear();
            for (const ReadLine& line : read_.lines) {
                varying_.push_back(varying_axes(line));
            }
        }
        for (std::size_t axis = 0; axis < cell.size(); ++axis) {
            moved_[axis] = last_ && (*last_)[axis] != cell[axis];
        }
        moved_[always] = !last_;
        values_.resize(read_.lines.size());
        std::size_t next = 0;
        const std::function<double(const Leaf&)> value_of = [&](const Leaf& leaf) {
            return look_up(leaf, next, cell, values_, memory);
        };
        for (std::size_t i = 0; i < values_.size(); ++i) {
            if (has_moved(i)) {
                next = read_.lines[i].first;
                values_[i] = evaluate(read_.lines[i].arithmetic, value_of);
            }
        }
        last_ = cell;
        return values_;
    }

    // Returns the axes along which the numbers of a line change. If the line uses results, any earlier line
    // counts, too.
    Axes varying_axes(const ReadLine& line) const {
        Axes axes;
        axes.set(always);
        for (std::size_t k = line.first; k < line.first + line.count; ++k) {
            for (std::size_t axis = 0; axis < always; ++axis) {
                axes[axis] = axes[axis] || numbers_[k].growth[axis] != 0;
            }
            if (read_.numbers[k] < 0) {
                axes = std::accumulate(varying_.begin(), varying_.end(), axes, std::bit_or{});
            }
        }
        return axes;
    }

    // Returns true if a line belongs to the group of the previous line: the form is the same, and the numbers
    // change by the same amounts.
    bool continues(std::size_t i) const {
        const ReadLine& line = read_.lines[i];
        const ReadLine& before = read_.lines[i - 1];
        if (i + 1 == read_.lines.size() || !is_alike_line(before, line) || sizes_[i] != sizes_[i - 1] ||
            results_[i].growth != results_[i - 1].growth) {
            return false;
        }
        const std::size_t first = groups_[i - 1];
        for (std::size_t k = 0; k < line.count; ++k) {
            const Affine step = numbers_[line.first + k] + -1 * numbers_[before.first + k];
            const bool is_even = first + 1 == i || step == numbers_[read_.lines[first + 1].first + k] +
                                                               -1 * numbers_[read_.lines[first].first + k];
            if (!is_even || step.growth != Affine{}.growth) {
                return false;
            }
        }
        return true;
    }

    // Reserves results for a line: one for each index on the axes along which its numbers change.
    void add_result(std::size_t i, const Shape& shown) {
        Affine result;
        for (std::size_t k = 0; k < read_.lines[i].count; ++k) {
            const Affine& number = numbers_[read_.lines[i].first + k];
            const auto* const of_line =
                read_.numbers[read_.lines[i].first + k] < 0
                    ? &results_[static_cast<std::size_t>(-1 - read_.numbers[read_.lines[i].first + k])]
                    : nullptr;
            for (std::size_t axis = 0; axis < shown.rank(); ++axis) {
                if (number.growth[axis] != 0 || (of_line != nullptr && of_line->growth[axis] != 0)) {
                    result.growth[axis] = 1;
                }
            }
        }
        std::int64_t size = 1;
        for (std::size_t axis = shown.rank(); axis-- > 0;) {
            if (result.growth[axis] != 0) {
                result.growth[axis] = size;
                size *= static_cast<std::int64_t>(shown[axis]);
            }
        }
        results_.push_back(result);
        sizes_.push_back(static_cast<std::size_t>(i + 1 < read_.lines.size() ? size : 0));
    }

    // Returns the address of a line's result, which may depend on the cell.
    Affine result_of(const Affine& line) const {
        const std::size_t first = group_of(line);
        return results_[first] + static_cast<std::int64_t>(sizes_[first]) *
                                     (line + Affine{-static_cast<std::int64_t>(first), {}});
    }

    std::size_t group_of(const Affine& line) const {
        return groups_[static_cast<std::size_t>(
            std::clamp<std::int64_t>(line.at(origin_), 0, static_cast<std::int64_t>(groups_.size()) - 1))];
    }

    // Adds a line after the lines that it uses. Each group is added once.
    void show(const Affine& line) {
        const std::size_t first = group_of(line);
        visited_[first] = true;
        const ReadLine& template_line = read_.lines[first];
        Shown shown{line, first, {}};
        const bool is_group = first + 1 < groups_.size() && groups_[first + 1] == first;
        for (std::size_t k = 0; k < template_line.count; ++k) {
            Affine number = numbers_[template_line.first + k];
            if (is_group) {
                const std::int64_t step = numbers_[read_.lines[first + 1].first + k].base - number.base;
                number = number + step * (line + Affine{-static_cast<std::int64_t>(first), {}});
            }
            shown.numbers.push_back(number);
        }
        for (Affine& number : shown.numbers) {
            if (number.at(origin_) < 0) {
                const Affine taken = Affine{-1, {}} + -1 * number;
                if (!visited_[group_of(taken)]) {
                    show(taken);
                }
                number = result_of(taken);
            }
        }
        shown_.push_back(std::move(shown));
    }

    // Returns true if the line gives its printed result when its numbers are rounded to this precision. Also
    // returns true for a line that is too long to be shown completely.
    bool is_true(std::size_t which, const Index& cell, int precision, int digits, Memory& memory) const {
        const ReadLine& line = read_.lines[which];
        if (line.arithmetic.parts.size() > most_shown) {
            return true;
        }
        std::size_t next = line.first;
        const double found = evaluate(line.arithmetic, [&](const Leaf& leaf) {
            const double value = look_up(leaf, next, cell, recorded_, memory);
            const bool is_constant = leaf.from == Leaf::From::constant;
            return is_constant ? shown_number(value, digits).value : memory.shown(value, digits).value;
        });
        const ShownNumber& wanted = memory.shown(recorded_[which], precision);
        return wanted.rounds(found) || single(found) == wanted.value;
    }

    static Json hole(const Affine& number) {
        std::vector<std::int64_t> hole{number.base};
        hole.insert(hole.end(), number.growth.begin(), number.growth.end());
        while (hole.size() > 1 && hole.back() == 0) {
            hole.pop_back();
        }
        return hole;
    }

    // Returns the name of a number in code; the root of a width counts as one name.
    static std::string name_of(const Number& number) {
        return number.is_root() ? fmt::format("√d_k = √{}", std::nearbyint(number.parts[0].value()))
                                : number.in(Language::torch);
    }

    // Returns the line as text with holes. A marker that no text contains comes before each hole.
    static Json pieces(const Shown& shown, const ReadLine& line) {
        constexpr char mark = '\x01';
        std::vector<Json> holes;
        std::size_t next = 0;
        const auto write = [&](const Leaf& leaf) {
            if (leaf.from == Leaf::From::number && leaf.reads == nullptr) {
                holes.push_back(hole(shown.numbers[next++]));
            } else {
                holes.push_back(Json{{"value", leaf.value}, {"name", name_of(*leaf.reads)}});
            }
            return std::string(1, mark);
        };
        std::size_t used = 0;
        std::vector<Json> all;
        for (const std::string& text : in_pieces(named_constants(line.arithmetic), write)) {
            Json piece = Json::array();
            std::string run;
            for (const char c : text) {
                if (c == mark) {
                    piece.push_back(std::exchange(run, ""));
                    piece.push_back(holes[used++]);
                } else {
                    run += c;
                }
            }
            piece.push_back(run);
            all.push_back(std::move(piece));
        }
        if (all.size() <= most_shown) {
            return all;
        }
        std::vector<Json> few(all.begin(), all.begin() + first_shown);
        few.push_back(all.size() - first_shown - 1);
        few.push_back(all.back());
        return few;
    }

    // Replaces constants by holes if they have a name, or too many digits for the text.
    static Expr named_constants(Expr arithmetic) {
        Leaf& leaf = arithmetic.leaf;
        if (arithmetic.op == Operator::leaf && leaf.from == Leaf::From::constant &&
            (leaf.reads != nullptr || leaf.value * 1000 != std::nearbyint(leaf.value * 1000))) {
            static const Number nameless{};
            leaf.from = Leaf::From::number;
            leaf.reads = leaf.reads != nullptr ? leaf.reads : &nameless;
        }
        for (Expr& part : arithmetic.parts) {
            part = named_constants(std::move(part));
        }
        return arithmetic;
    }

    Index origin_;
    std::set<CellKind> kinds_;            // the kinds of the cells that define the pattern
    Cell read_;                           // the first cell's derivation
    std::vector<Affine> numbers_;         // those of the derivation, for every cell of the pattern
    std::bitset<Shape::max_rank> known_;  // the axes along which it is known how they change

    // The last evaluation:
    std::optional<Index> last_;
    Axes moved_;                    // the axes along which its cell differs from the cell before
    std::vector<double> values_;    // one per line
    std::vector<Axes> varying_;     // one per line
    std::vector<double> recorded_;  // one per line: the tensors' own numbers instead of the lines' results

    // The result of finish():
    std::vector<Affine> results_;      // for each line, the address of its result
    std::vector<std::size_t> sizes_;   // for each line, the number of results
    std::vector<std::size_t> groups_;  // for each line, the first line of its group
    std::vector<bool> visited_;
    std::vector<Shown> shown_;
};

Json run_lengths(const std::vector<std::size_t>& values) {
    Json runs = Json::array();
    for (std::size_t from = 0, to = 0; from < values.size(); from = to) {
        while (to < values.size() && values[to] == values[from]) {
            ++to;
        }
        runs.push_back(to - from);
        runs.push_back(values[from]);
    }
    return runs;
}

}  // namespace

Memory::Memory(const Notebook& notebook) : starts_(notebook.nodes().size()) {
    const auto place = [&](bool is_named, std::int64_t address) {
        for (std::size_t id = 0; id < notebook.nodes().size(); ++id) {
            const Node& node = notebook.nodes()[id];
            if (node.name.empty() != is_named) {
                starts_[id] = address;
                address += static_cast<std::int64_t>(node.value.count());
                std::ranges::copy(node.value.values(), std::back_inserter(is_named ? named_ : others_));
            }
        }
        return address;
    };
    first_result_ = place(true, 0);
    place(false, unnamed);
}

double Memory::at(std::int64_t address) const {
    const std::vector<float>& numbers = address < unnamed ? named_ : others_;
    const auto place = static_cast<std::size_t>(address < unnamed ? address : address - unnamed);
    return place < numbers.size() ? static_cast<double>(numbers[place]) : not_a_number;
}

const ShownNumber& Memory::shown(double number, int digits) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(number));
    const auto [found, is_new] = shown_.try_emplace(bits | static_cast<std::uint64_t>(digits) << 32U);
    if (is_new) {
        found->second = shown_number(single(number), digits);
    }
    return found->second;
}

std::int64_t Memory::reserve(std::size_t count) {
    const auto address = first_result_ + static_cast<std::int64_t>(results_.size());
    results_.resize(results_.size() + count, std::numeric_limits<float>::quiet_NaN());
    return address;
}

void Memory::set_result(std::int64_t address, double value) {
    results_[static_cast<std::size_t>(address - first_result_)] = static_cast<float>(value);
}

Json arithmetic_json(const Notebook& notebook, std::size_t node, const std::vector<Index>& cells,
                     const Shape& shown, int precision, Memory& memory) {
    const Tensor& x = notebook.nodes()[node].value;
    const Shading shading = shading_of(notebook, node);
    std::vector<Pattern> patterns;
    std::vector<std::size_t> of_cells;
    for (const Index& cell : cells) {
        const std::size_t place = x.offset(cell);
        const double value = static_cast<double>(x.values()[place]);
        const auto fits = [&](Pattern& pattern) {
            return pattern.reaches(cell) && pattern.gives(cell, shading.kinds[place], value, memory);
        };
        if (!of_cells.empty() && fits(patterns[of_cells.back()])) {
            of_cells.push_back(of_cells.back());
            continue;
        }
        const std::size_t from = patterns.size() - std::min(patterns.size(), most_recent);
        const auto recent = patterns.begin() + static_cast<std::ptrdiff_t>(from);
        auto found = std::find_if(recent, patterns.end(), fits);
        if (found == patterns.end()) {
            Cell read = Reading(notebook, node, cell, memory).take();
            found = std::find_if(recent, patterns.end(), [&](Pattern& pattern) {
                return pattern.takes(cell, shading.kinds[place], read);
            });
            if (found == patterns.end()) {
                patterns.emplace_back(cell, shading.kinds[place], std::move(read));
                found = std::prev(patterns.end());
                if (patterns.size() > 2 && std::ranges::none_of(patterns, &Pattern::looks_up)) {
                    return nullptr;  // given or random
                }
            }
        }
        of_cells.push_back(static_cast<std::size_t>(found - patterns.begin()));
    }
    Json json{{"patterns", Json::array()}};
    const auto finish = [&](Pattern& pattern) {
        pattern.finish(shown, memory);
        json["patterns"].push_back(pattern.json());
    };
    std::ranges::for_each(patterns, finish);
    std::string digits;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (!patterns[of_cells[i]].covers(cells[i])) {
            patterns.emplace_back(cells[i], shading.kinds[x.offset(cells[i])],
                                  Reading(notebook, node, cells[i], memory).take());
            finish(patterns.back());
            of_cells[i] = patterns.size() - 1;
        }
        const int needed =
            patterns[of_cells[i]].record(cells[i], static_cast<double>(x.at(cells[i])), precision, memory);
        digits += needed == 0 ? '~' : static_cast<char>('0' + needed);
    }
    json["cells"] = run_lengths(of_cells);
    json["digits"] = digits;
    return json;
}

}  // namespace attn
