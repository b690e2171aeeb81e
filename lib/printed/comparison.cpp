#include "printed/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace attn {

std::vector<Comparison> compare_stage(const StageTrace& trace, std::span<const Reference> references) {
    std::vector<Comparison> comparisons;
    for (const Reference& reference : references) {
        if (reference.stage != trace.stage->name || !reference.fits(trace.parameters) ||
            !trace.shows(reference.step)) {
            continue;
        }
        const Tensor& value = trace.node(*trace.find(reference.step)).value;
        comparisons.push_back({&reference, compare(reference, value)});
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
        for (const auto& [row, json] : reference.parameters) {
            std::string text = json;
            std::erase(text, '"');
            row->read(parameters, text);
        }
        const StageTrace trace = walk(stage, lesson, parameters);
        std::ranges::move(compare_stage(trace, {&reference, 1}), std::back_inserter(comparisons));
    }
    return comparisons;
}

std::string comparison_text(std::span<const Comparison> comparisons, const Words& phrases) {
    const bool several_stages = std::ranges::any_of(comparisons, [&](const Comparison& one) {
        return one.reference->stage != comparisons.front().reference->stage;
    });
    std::vector<std::string> tables;
    std::size_t width = 0;
    for (const Comparison& one : comparisons) {
        const Reference& reference = *one.reference;
        tables.push_back(fmt::format("{} {}{}", reference.document,
                                     several_stages ? reference.stage + "/" : "", reference.step));
        width = std::max(width, tables.back().size());
    }
    std::string text;
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
        text += fmt::format("{:<{}}  {}\n", tables[i], width,
                            agreement_text(*comparisons[i].reference, comparisons[i].agreement, phrases));
    }
    return text;
}

std::string printed_elsewhere(const StageTrace& trace, std::span<const Reference> references) {
    std::map<std::string, std::string> tables;  // by options
    for (const Reference& reference : references) {
        if (reference.stage == trace.stage->name && trace.shows(reference.step) &&
            !reference.fits(trace.parameters)) {
            std::string& names = tables[reference.options()];
            names += fmt::format("{}{} {}", names.empty() ? "" : ", ", reference.document, reference.step);
        }
    }
    std::string text;
    for (const auto& [options, names] : tables) {
        text += fmt::format("  {} {}: {}\n", trace.stage->name, options, names);
    }
    return text;
}

}  // namespace attn
