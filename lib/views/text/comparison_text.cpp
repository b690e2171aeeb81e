#include "views/text/comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "text/prose.hpp"
#include "words/documents.hpp"

namespace attn {

namespace {

std::string cell(const Index& index, std::size_t rank) {
    std::string text;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        text += fmt::format("[{}]", index[axis]);
    }
    return text;
}

}  // namespace

std::string agreement_text(const Comparison& comparison, const Words& phrases) {
    const Shape& shape = comparison.reference->table.shown;
    if (!comparison.same_shape()) {
        return phrases("shape_differs", shape.text(), comparison.computed_shape.text());
    }
    const Agreement& agreement = comparison.agreement;
    if (agreement.numbers == 0) {
        return phrases("shape_agrees", shape.text());
    }
    const std::string numbers =
        !agreement.agrees() ? phrases("some_numbers", agreement.numbers_agreeing(), agreement.numbers)
                            : phrases(agreement.numbers == 1 ? "one_number" : "numbers", agreement.numbers);
    const double largest = agreement.largest_difference;
    std::string line = phrases("digits_agree", comparison.digits_agreeing, comparison.digits, numbers,
                               largest == 0.0 ? "0" : fmt::format("{:.1e}", largest));
    if (const auto& mismatch = comparison.first_mismatch) {
        const std::string_view printed = comparison.reference->printed(mismatch->number);
        const std::string computed = printed_alike(printed, static_cast<double>(mismatch->computed));
        line += shape.rank() == 0
                    ? phrases("only_difference", printed, computed)
                    : phrases("first_difference", cell(mismatch->index, shape.rank()), printed, computed);
    }
    return line;
}

std::string comparison_text(std::span<const Comparison> comparisons, const Words& phrases,
                            std::size_t columns) {
    const bool several_stages = std::ranges::any_of(comparisons, [&](const Comparison& one) {
        return one.reference->stage != comparisons.front().reference->stage;
    });
    std::vector<std::string> tables;
    std::vector<std::string> documents;
    std::size_t width = 0;
    for (const Comparison& one : comparisons) {
        const Reference& reference = *one.reference;
        tables.push_back(fmt::format("{} {}{}", reference.document,
                                     several_stages ? reference.stage + "/" : "", reference.step));
        width = std::max(width, tables.back().size());
        if (std::ranges::find(documents, reference.document) == documents.end()) {
            documents.push_back(reference.document);
        }
    }
    std::string text;
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
        text += hanging(fmt::format("{:<{}}  ", tables[i], width), agreement_text(comparisons[i], phrases),
                        columns);
    }
    std::ranges::sort(documents);
    return text + "\n" + document_entries(documents, phrases, columns);
}

}  // namespace attn
