#include "views/text/comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "text/prose.hpp"
#include "views/explain/arithmetic_text.hpp"
#include "words/documents.hpp"

namespace attn {

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
        const std::string computed = printed_alike(printed, double(mismatch->computed));
        line += shape.rank() == 0 ? phrases("only_difference", printed, computed)
                                  : phrases("first_difference", index_text(mismatch->index, shape.rank()),
                                            printed, computed);
    }
    return line;
}

std::string comparison_text(std::span<const Comparison> comparisons, const Words& phrases,
                            std::size_t columns) {
    const bool several_stages = std::ranges::any_of(comparisons, [&](const Comparison& one) {
        return one.reference->stage != comparisons.front().reference->stage;
    });
    std::vector<std::string> tables;
    std::set<std::string> documents;
    std::size_t width = 0;
    for (const Comparison& one : comparisons) {
        const Reference& reference = *one.reference;
        tables.push_back(fmt::format("{} {}{}", reference.document,
                                     several_stages ? reference.stage + "/" : "", reference.step));
        width = std::max(width, tables.back().size());
        documents.insert(reference.document);
    }
    std::string text;
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
        text += hanging(fmt::format("{:<{}}  ", tables[i], width), agreement_text(comparisons[i], phrases),
                        columns);
    }
    return text + "\n" + document_entries(std::vector(documents.begin(), documents.end()), phrases, columns);
}

}  // namespace attn
