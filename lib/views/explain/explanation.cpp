// Searches breadth-first, so a cell is explained if its shortest path is within the depth.
#include "views/explain/explanation.hpp"

#include <map>

#include "tensor/error.hpp"
#include "text/lists.hpp"
#include "views/explain/reason_text.hpp"

namespace attn {

namespace {

constexpr std::size_t most_cells = 500;

}  // namespace

Explanations explain(const StageTrace& trace, std::size_t node, const Index& cell, std::size_t depth,
                     const Style& style) {
    const Words words(style.language, "explanation");
    KnownCells known;
    Explanations cells;
    std::map<std::pair<std::size_t, Index>, std::size_t> places;
    const auto add = [&](std::size_t id, const Index& index) {
        const auto [place, is_new] = places.try_emplace({id, index}, cells.size());
        if (is_new) {
            cells.push_back({id, index, {}, {}, {}});
            ExplainedCell& explained = cells.back();
            const Derivation derivation = derive(trace.notebook, id, index, known);
            for (const CellReason& reason : derivation.reasons) {
                explained.reasons.emplace_back(reason.reason.id,
                                               reason_text(words, trace, reason, style.print.precision));
            }
            for (const DerivationLine& line : derivation.lines) {
                explained.lines.push_back({line, arithmetic_text(trace.notebook, line, words,
                                                                 style.print.precision, trace.language)});
            }
        }
        return place->second;
    };
    add(node, cell);
    std::size_t at = 0;
    for (std::size_t level = 1; level < depth; ++level) {
        for (const std::size_t end = cells.size(); at < end; ++at) {
            std::vector<std::size_t> operands;
            for (const ExplainedLine& one : std::vector(cells[at].lines)) {
                for_each_number(shortened(one.line).arithmetic, [&](const Leaf& leaf) {
                    if (leaf.from != Leaf::From::cell) {
                        return;
                    }
                    const std::size_t place = add(leaf.tensor, leaf.index);
                    if (cells.size() > most_cells) {
                        throw Error(
                            "`depth` {}: would explain more than {} cells, the limit; use `depth` {}.", depth,
                            most_cells, level);
                    }
                    if (!contains(operands, place)) {
                        operands.push_back(place);
                    }
                });
            }
            cells[at].operands = operands;
        }
    }
    return cells;
}

}  // namespace attn
