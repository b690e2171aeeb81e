#include "words/narration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "tensor/digits.hpp"
#include "text/numbered.hpp"
#include "text/prose.hpp"
#include "text/split.hpp"

namespace attn {

namespace {

// Returns the text after the facts in brackets; empty if one of the facts is false.
std::string_view where_true(std::string_view text, const Situation& run) {
    if (!text.starts_with('[')) {
        return text;
    }
    const std::size_t end = text.find(']');
    const auto facts = facts_of(run);
    for (std::string_view fact : split(text.substr(1, end - 1), ", ")) {
        constexpr std::string_view negation = "not ";
        const bool expected = !fact.starts_with(negation);
        fact.remove_prefix(expected ? 0 : negation.size());
        if (facts.at(fact) != expected) {
            return "";
        }
    }
    return text.substr(end + 2);
}

// Returns a number by its name: a cell such as `this[0, 0]`, or one of numbers_of(). Returns nothing for a
// missing cell.
std::optional<double> number_of(std::string_view name, const Situation& run) {
    const std::size_t bracket = name.find('[');
    if (bracket == std::string_view::npos) {
        return numbers_of(run).at(name);
    }
    const std::string_view step = name.substr(0, bracket);
    const std::optional<std::size_t> found = step == "this" ? run.step : run.trace.find(step);
    if (!found) {
        return std::nullopt;
    }
    const Tensor& x = run.trace.node(*found).value;
    std::size_t offset = 0;
    std::size_t axis = 0;
    for (const std::string_view part : split(name.substr(bracket + 1, name.size() - bracket - 2), ", ")) {
        const std::size_t index = std::stoul(std::string(part));
        if (axis >= x.rank() || index >= x.shape()[axis]) {
            return std::nullopt;
        }
        offset = offset * x.shape()[axis++] + index;
    }
    return x.values()[offset];
}

// Returns the number for `{name}`, `{name:%}` or `{name:rest%}`. Returns nothing for inf and NaN.
std::optional<std::string> filled(std::string_view place, const Situation& run) {
    const std::size_t colon = std::min(place.find(':'), place.size());
    const std::optional<double> number = number_of(place.substr(0, colon), run);
    if (!number || !std::isfinite(*number)) {
        return std::nullopt;
    }
    const std::string_view format = place.substr(colon);
    if (!format.empty()) {
        return fmt::format("{:.0f}", 100.0 * (format == ":rest%" ? 1.0 - *number : *number));
    }
    const bool is_cell = place.ends_with(']');
    return is_cell && *number != std::round(*number) ? fmt::format("{:.4f}", *number)
                                                     : fmt::format("{}", std::round(*number * 1e4) / 1e4);
}

// Returns the sentence with its numbers filled in, and `name` in place of `{}`. Returns an empty text if a
// fact is false or a number is missing.
std::string sentence(std::string_view text, const Situation& run, std::string_view name) {
    std::string said(where_true(text, run));
    for (std::size_t at = said.find('{'); at != std::string::npos; at = said.find('{', at + 1)) {
        const std::size_t end = said.find('}', at);
        const std::string place = said.substr(at + 1, end - at - 1);
        const std::optional<std::string> value = place.empty() ? std::string(name) : filled(place, run);
        if (!value) {
            return "";
        }
        said.replace(at, end + 1 - at, *value);
    }
    return said;
}

}  // namespace

Narration::Narration(std::string_view language, std::string_view stage)
    : stage_(stage), words_(language, stage), is_silent_(words_.texts().empty()) {
    if (!is_silent_) {
        words_.add("gradients");
    }
}

std::string Narration::title(const Situation& run) const {
    const std::string text = told(step_key(run) + "/title", run);
    return text.empty() ? run.trace.node(run.step).name : text;
}

std::string Narration::intro(const Situation& run) const {
    const std::string text = told("intro", run);
    return facts_of(run).at("edited") ? Words(language(), "program")("set_intro", text) : text;
}

std::string Narration::note(const Situation& run) const {
    const std::string text = told(step_key(run) + "/note", run);
    const Node& node = run.trace.node(run.step);
    if (node.set.empty()) {
        return text;
    }
    std::string cells;
    for (const auto& [offset, before] : node.set) {
        const Index index = node.value.index(offset);
        cells += fmt::format("{}{}", cells.empty() ? "" : ", ", node.name);
        for (std::size_t axis = 0; axis < node.value.rank(); ++axis) {
            cells += fmt::format("[{}]", index[axis]);
        }
        cells += " = " + shortest_digits(node.value.values()[offset]);
    }
    return Words(language(), "program")("set", text, cells);
}

std::string Narration::step_key(const Situation& run) const {
    const std::string& name = run.trace.node(run.step).name;
    if (is_silent_ || words_.find(name + "/title") != nullptr) {
        return name;
    }
    for (const auto& [key, text] : words_.texts()) {
        const std::string steps = key.substr(0, key.find('/'));  // perhaps several: `b_key_grad, b_k_grad`
        const auto is_alike = [&](std::string_view one) {
            return without_number(one) == without_number(name);
        };
        if (steps.size() < key.size() && std::ranges::any_of(split(steps, ", "), is_alike)) {
            return steps;
        }
    }
    if (run.trace.node(run.step).gradient_of) {
        return "any_grad";
    }
    throw std::logic_error("the narration has no words for step " + name);
}

std::string Narration::told(const std::string& key, const Situation& run) const {
    const std::optional<std::size_t> of = run.trace.node(run.step).gradient_of;
    const std::string_view name = of ? std::string_view(run.trace.node(*of).name) : "";
    if (const std::string* const only = words_.find(key)) {
        return sentence(*only, run, name);
    }
    std::string text;
    for (std::size_t i = 0; const std::string* const one = words_.find(fmt::format("{}/{}", key, i)); ++i) {
        add_sentence(text, sentence(*one, run, name));
    }
    return text;
}

}  // namespace attn
