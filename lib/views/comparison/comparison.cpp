// Compares a run with printed tables. Printed numbers stay text as long as possible, because their digits are
// counted.
#include "views/comparison/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "text/ascii.hpp"
#include "text/prose.hpp"

namespace attn {

namespace {

std::size_t digits_in(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, is_digit));
}

// Returns how many digits are right before the first wrong one. Returns 0 if sign, length or exponent differ.
std::size_t digits_before_difference(std::string_view printed, double x) {
    const std::string ours = printed_alike(printed, x);
    const auto tail = [](std::string_view text) {
        return text.substr(std::min(text.find('e'), text.size()));
    };
    if (ours.size() != printed.size() || tail(ours) != tail(printed)) {
        return 0;
    }
    const auto differing = std::ranges::mismatch(printed, ours).in1;
    return digits_in(printed.substr(0, static_cast<std::size_t>(differing - printed.begin())));
}

}  // namespace

std::string printed_alike(std::string_view printed, double x) {
    const std::size_t point = printed.find('.');
    const std::size_t exponent = printed.find('e');
    if (!std::isfinite(x) || printed.find('n') != std::string_view::npos) {  // nan, inf
        return fmt::format("{}", static_cast<float>(x));
    }
    const std::size_t decimals =
        point == std::string_view::npos ? 0 : std::min(exponent, printed.size()) - point - 1;
    const std::string layout = fmt::format("{{:{}.{}{}}}", point == std::string_view::npos ? "" : "#",
                                           decimals, exponent == std::string_view::npos ? 'f' : 'e');
    return fmt::format(fmt::runtime(layout), x);
}

Comparison compare(const Reference& reference, const Tensor& computed) {
    const PrintedTensor& table = reference.table;
    Comparison result{.reference = &reference, .computed_shape = computed.shape()};
    if (result.same_shape()) {
        result.agreement = agreement(table, computed);
    }
    const std::vector<std::size_t>& disagreeing = result.agreement.disagreeing;
    if (!disagreeing.empty()) {
        const std::size_t first = disagreeing.front();
        result.first_mismatch = {first, computed.index(first), computed.values()[first]};
    }
    for (std::size_t n = 0; n < table.numbers.size(); ++n) {
        const std::string_view printed = reference.printed(n);
        const std::size_t digits = digits_in(printed);
        result.digits += digits;
        if (result.same_shape()) {
            const bool agrees = !std::ranges::binary_search(disagreeing, n);
            result.digits_agreeing +=
                agrees ? digits
                       : digits_before_difference(printed, static_cast<double>(computed.values()[n]));
        }
    }
    return result;
}

std::vector<Comparison> compare_stage(const StageTrace& trace, std::span<const Reference> references) {
    std::vector<Comparison> comparisons;
    for (const Reference& reference : references) {
        if (reference.stage != trace.stage->name || !reference.fits(trace.parameters) ||
            !trace.shows(reference.step)) {
            continue;
        }
        const Tensor& value = trace.node(*trace.find(reference.step)).value;
        comparisons.push_back(compare(reference, value));
    }
    return comparisons;
}

std::vector<Comparison> compare_each(const StageTrace& shown, const Lesson& lesson,
                                     std::span<const Reference> references) {
    const Stage& stage = *shown.stage;
    std::vector<Comparison> comparisons;
    for (const Reference& reference : references) {
        if (reference.stage != stage.name || !shown.shows(reference.step)) {
            continue;
        }
        Parameters parameters = stage.defaults;
        for (const ReferenceParameter& parameter : reference.parameters) {
            parameter.set(parameters);
        }
        const StageTrace trace = walk(stage, lesson, parameters);
        std::ranges::move(compare_stage(trace, {&reference, 1}), std::back_inserter(comparisons));
    }
    return comparisons;
}

std::string printed_elsewhere(const StageTrace& trace, std::span<const Reference> references,
                              const SpellSettings& spell, std::size_t columns) {
    std::map<std::string, std::string> tables;  // maps the settings of tables to the tables' names
    for (const Reference& reference : references) {
        if (reference.stage == trace.stage->name && trace.shows(reference.step) &&
            !reference.fits(trace.parameters)) {
            std::string& names = tables[spell(reference.settings())];
            names += fmt::format("{}{} {}", names.empty() ? "" : ", ", reference.document, reference.step);
        }
    }
    std::string text;
    for (const auto& [settings, names] : tables) {
        // Continued lines have this indent, first lines half of it.
        constexpr std::string_view indent = "    ";
        text += hanging(indent, fmt::format("{} {}: {}", trace.stage->name, settings, names), columns)
                    .substr(indent.size() / 2);
    }
    return text;
}

}  // namespace attn
