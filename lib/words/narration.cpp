#include "words/narration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "tensor/digits.hpp"
#include "text/numbered.hpp"
#include "text/prose.hpp"

namespace attn {

namespace {

std::string with_name(std::string text, std::string_view name) {
    constexpr std::string_view place = "{}";
    for (std::size_t at = text.find(place); at != std::string::npos;
         at = text.find(place, at + name.size())) {
        text.replace(at, place.size(), name);
    }
    return text;
}

// The text with numbers of the run in the places of its {expressions}, to four decimals as tables print them
// or to N in `{expression:N}`. Empty when the run does not have one of the numbers.
std::string with_numbers(std::string text, const Situation& run) {
    for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) {
        const std::size_t end = text.find('}', at);
        std::string_view expression = std::string_view(text).substr(at + 1, end - at - 1);
        if (expression.empty()) {
            continue;  // the place of a name
        }
        int decimals = 4;
        if (const std::size_t colon = expression.rfind(':'); colon + 2 == expression.size()) {
            decimals = expression.back() - '0';
            expression = expression.substr(0, colon);
        }
        const std::optional<double> number = number_of(expression, run);
        if (!number) {
            return "";
        }
        text.replace(at, end + 1 - at, fmt::format("{:.{}f}", *number, decimals));
    }
    return text;
}

bool has_set_numbers(const StageTrace& trace) {
    return std::ranges::any_of(trace.notebook.nodes(), [](const Node& node) { return !node.set.empty(); });
}

}  // namespace

Narration::Narration(std::string_view language, std::string_view stage)
    : stage_(stage), words_(language, stage), is_silent_(words_.texts().empty()) {
    words_.add("gradients");
}

std::string Narration::title(const Situation& run) const {
    const std::string text = is_silent() ? "" : told(step_key(run) + "/title", run);
    return text.empty() ? run.trace.node(run.step).name : text;
}

std::string Narration::intro(const Situation& run) const {
    const std::string text = is_silent() ? "" : told("intro", run);
    return has_set_numbers(run.trace) ? Words(language(), "program")("set_intro", text) : text;
}

std::string Narration::next() const {
    const std::string* const text = words_.find("next");
    return text == nullptr ? "" : *text;
}

std::string Narration::heading(const Situation& run) const {
    const std::string* const text = is_silent() ? nullptr : words_.find(step_key(run) + "/heading");
    return text == nullptr ? "" : *text;
}

std::string Narration::note(const Situation& run) const {
    const std::string text = is_silent() ? "" : told(step_key(run) + "/note", run);
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
    constexpr std::string_view below = "steps/";
    constexpr std::string_view title = "/title";
    const std::string& name = run.trace.node(run.step).name;
    const std::string key = fmt::format("{}{}", below, name);
    if (words_.find(key + std::string(title)) != nullptr) {
        return key;
    }
    for (const auto& [other, text] : words_.texts()) {
        if (other.starts_with(below) && other.ends_with(title)) {
            const std::string step = other.substr(0, other.size() - title.size());
            if (without_number(step) == without_number(key)) {
                return step;
            }
        }
    }
    if (run.trace.node(run.step).gradient_of) {
        return "steps/gradient";
    }
    throw std::logic_error("the narration has no words for step " + name);
}

std::string Narration::told(const std::string& key, const Situation& run) const {
    std::string text;
    if (words_.find(key) != nullptr) {
        text = sentence(key, run);
    } else {
        for (std::size_t i = 0; i == 0 || words_.find(fmt::format("{}/{}", key, i)) != nullptr; ++i) {
            add_sentence(text, sentence(fmt::format("{}/{}", key, i), run));
        }
    }
    const std::optional<std::size_t> of = run.trace.node(run.step).gradient_of;
    return of ? with_name(std::move(text), run.trace.node(*of).name) : text;
}

std::string Narration::sentence(const std::string& key, const Situation& run) const {
    const std::string* const when = words_.find(key + "/when");
    if (when == nullptr || holds(*when, run)) {
        const std::string* const check = words_.find(key + "/check");
        const bool is_false = check != nullptr && has_set_numbers(run.trace) && !holds(*check, run);
        return is_false ? "" : with_numbers(words_.at(key), run);
    }
    const std::string* const otherwise = words_.find(key + "/else");
    return otherwise == nullptr ? "" : with_numbers(*otherwise, run);
}

}  // namespace attn
