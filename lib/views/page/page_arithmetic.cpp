// Derivations as lines that repeat, and numbers that run evenly.
#include "views/page/page_arithmetic.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "views/explain/arithmetic_text.hpp"
#include "views/explain/derivation.hpp"

namespace attn {

namespace {

constexpr std::size_t most_terms = 64;
constexpr std::size_t least_collected = 1 << 16;  // addresses before the repeated ones are dropped

void keep_each_once(std::vector<std::int64_t>& addresses) {
    std::ranges::sort(addresses);
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
}

std::int64_t place(std::size_t line) {
    return -1 - static_cast<std::int64_t>(line);
}

// The text up to its last full term.
void break_off(std::string& text) {
    std::size_t cut = 0;
    for (std::size_t terms = 0; terms < most_terms; ++terms) {
        cut = text.find(" + ", cut == 0 ? 0 : cut + 1);
        if (cut == std::string::npos) {
            return;
        }
    }
    text.resize(cut);
    text += " + …";
}

class Shipper {
public:
    Shipper(const Notebook& notebook, const Derivation& derivation, const Addresses& addresses)
        : notebook_(notebook), lines_(derivation.lines), addresses_(addresses) {
        wanted_.resize(lines_.size(), false);
        want(lines_.size() - 1);
    }

    Arithmetic shipped() {
        Arithmetic result;
        std::size_t count = 0;
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            if (!wanted_[i]) {
                continue;
            }
            numbered_[i] = count++;
            ArithmeticLine line{1, std::string(lines_[i].part), lines_[i].text};
            if (i + 1 == lines_.size()) {
                break_off(line.text);
            }
            fill(lines_[i], line.text, result.numbers);
            if (!result.lines.empty() && result.lines.back().part == line.part &&
                result.lines.back().text == line.text) {
                ++result.lines.back().count;
            } else {
                result.lines.push_back(std::move(line));
            }
        }
        return result;
    }

private:
    void want(std::size_t line) {
        wanted_[line] = true;
        for (const Term& term : lines_[line].terms) {
            if (term.from == Term::From::line && !wanted_[term.line] && is_short(term.line)) {
                want(term.line);
            }
        }
    }

    bool is_short(std::size_t line) const { return lines_[line].terms.size() <= 2 * most_terms; }

    // Writes into a text the numbers that are the code's own, and takes note of the others.
    void fill(const Line& line, std::string& text, std::vector<std::int64_t>& numbers) const {
        std::string filled;
        std::string_view rest = text;
        for (const Term& term : line.terms) {
            const std::size_t hole = rest.find("{}");
            if (hole == std::string_view::npos) {
                break;  // where the text was broken off
            }
            filled += rest.substr(0, hole);
            rest.remove_prefix(hole + 2);
            const Addresses::Place* const place =
                term.from == Term::From::cell ? addresses_.of(notebook_.nodes()[term.node]) : nullptr;
            if (place != nullptr) {
                const Tensor& value = notebook_.nodes()[term.node].value;
                numbers.push_back(place->address + static_cast<std::int64_t>(value.offset(term.index)));
                filled += "{}";
            } else if (term.from == Term::From::line && wanted_[term.line]) {
                numbers.push_back(attn::place(numbered_.at(term.line)));
                filled += "{}";
            } else {
                constexpr int all_digits = 20;
                const std::string digits = number_text(term.value, all_digits);
                filled += digits.starts_with("−") ? "(" + digits + ")" : digits;
            }
        }
        text = filled.append(rest);
    }

    const Notebook& notebook_;
    const std::vector<Line>& lines_;
    const Addresses& addresses_;
    std::vector<bool> wanted_;                     // of all lines
    std::map<std::size_t, std::size_t> numbered_;  // those wanted, in order
};

// The longest run from `at` on that repeats with this period, in whole periods; at least one.
std::size_t run_length(const std::vector<std::int64_t>& x, std::size_t at, std::size_t period) {
    std::size_t end = at + period;
    while (end + period <= x.size()) {
        for (std::size_t k = 0; k < period; ++k) {
            if (x[end + k] - x[end + k - period] != x[at + period + k] - x[at + k]) {
                return end - at;
            }
        }
        end += period;
    }
    return end - at;
}

std::vector<std::int64_t> as_runs(const std::vector<std::int64_t>& addresses) {
    std::vector<std::int64_t> runs;
    for (std::size_t at = 0; at < addresses.size();) {
        std::size_t period = 1;
        std::size_t length = run_length(addresses, at, 1);
        if (at + 2 <= addresses.size() && run_length(addresses, at, 2) > std::max<std::size_t>(length, 3)) {
            period = 2;
            length = run_length(addresses, at, 2);
        }
        runs.push_back(static_cast<std::int64_t>(length));
        runs.push_back(static_cast<std::int64_t>(period));
        for (std::size_t k = 0; k < period; ++k) {
            runs.push_back(addresses[at + k]);
        }
        for (std::size_t k = 0; k < period; ++k) {
            runs.push_back(length > period ? addresses[at + period + k] - addresses[at + k] : 0);
        }
        at += length;
    }
    return runs;
}

// Places in runs that say how they are to be read, and must not grow.
std::vector<bool> structure(const std::vector<std::int64_t>& runs) {
    std::vector<bool> fixed(runs.size(), false);
    for (std::size_t at = 0; at < runs.size(); at += 2 + 2 * static_cast<std::size_t>(runs[at + 1])) {
        fixed[at] = fixed[at + 1] = true;
    }
    return fixed;
}

// Adds a cell to the even ones before it. Returns whether it is one of them.
bool extend(EvenCells& even, std::size_t lines, const std::vector<std::int64_t>& runs) {
    if (even.lines != lines || even.first.size() != runs.size()) {
        return false;
    }
    std::vector<std::int64_t> growth(runs.size());
    const std::vector<bool> fixed = structure(even.first);
    const auto steps = static_cast<std::int64_t>(even.count);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::int64_t difference = runs[i] - even.first[i];
        growth[i] = even.count == 1 ? difference : even.growth[i];
        if (growth[i] * steps != difference || (fixed[i] && difference != 0)) {
            return false;
        }
    }
    even.growth = std::move(growth);
    ++even.count;
    return true;
}

void write_integers(JsonWriter& json, const std::vector<std::int64_t>& integers) {
    json.begin_array(JsonWriter::Layout::line);
    for (const std::int64_t integer : integers) {
        json.integer(integer);
    }
    json.end();
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

Arithmetic arithmetic(const Notebook& notebook, std::size_t node, const Index& cell,
                      const Addresses& addresses) {
    const Derivation derivation = derive(notebook, node, cell);
    return Shipper(notebook, derivation, addresses).shipped();
}

bool StepArithmetic::explains() const {
    return lines.size() <= 2 ||
           std::ranges::any_of(cells, [](const EvenCells& even) { return !even.first.empty(); });
}

StepArithmetic step_arithmetic(const Notebook& notebook, std::size_t node, const std::vector<Index>& cells,
                               const Addresses& addresses) {
    StepArithmetic step;
    std::map<std::vector<ArithmeticLine>, std::size_t> known;
    std::size_t room = least_collected;
    for (const Index& cell : cells) {
        const Arithmetic one = arithmetic(notebook, node, cell, addresses);
        const auto [place, is_new] = known.try_emplace(one.lines, step.lines.size());
        if (is_new) {
            step.lines.push_back(one.lines);
        }
        std::ranges::copy_if(one.numbers, std::back_inserter(step.addresses),
                             [](std::int64_t number) { return number >= 0; });
        std::vector<std::int64_t> runs = as_runs(one.numbers);
        if (step.cells.empty() || !extend(step.cells.back(), place->second, runs)) {
            step.cells.push_back({1, place->second, std::move(runs), {}});
        }
        if (step.addresses.size() > room) {
            keep_each_once(step.addresses);
            room = std::max(room, 2 * step.addresses.size());
        }
    }
    keep_each_once(step.addresses);
    return step;
}

void write_arithmetic(JsonWriter& json, const StepArithmetic& step) {
    json.key("arithmetic");
    json.begin_object(JsonWriter::Layout::line);
    json.key("lines");
    json.begin_array(JsonWriter::Layout::line);
    for (const std::vector<ArithmeticLine>& lines : step.lines) {
        json.begin_array(JsonWriter::Layout::line);
        for (const ArithmeticLine& line : lines) {
            json.begin_array(JsonWriter::Layout::line);
            json.integer(line.count);
            json.string(line.part);
            json.string(line.text);
            json.end();
        }
        json.end();
    }
    json.end();
    json.key("cells");
    json.begin_array(JsonWriter::Layout::line);
    for (const EvenCells& even : step.cells) {
        json.begin_array(JsonWriter::Layout::line);
        json.integer(even.count);
        json.integer(even.lines);
        if (!even.first.empty()) {
            write_integers(json, even.first);
            if (even.count > 1) {
                write_integers(json, even.growth);
            }
        }
        json.end();
    }
    json.end();
    json.end();
}

}  // namespace attn
