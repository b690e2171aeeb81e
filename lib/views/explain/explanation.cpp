// Searches breadth-first, so a cell is explained if its shortest path is within the depth.
#include "views/explain/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "tensor/error.hpp"
#include "views/explain/arithmetic_text.hpp"

namespace attn {

namespace {

constexpr std::size_t most_cells = 500;

}  // namespace

Explanations explain(const Notebook& notebook, std::size_t node, const Index& cell, std::size_t depth) {
    Explanations cells{{node, cell, derive(notebook, node, cell), {}}};
    std::map<std::pair<std::size_t, Index>, std::size_t> places{{{node, cell}, 0}};
    std::size_t level_begin = 0;
    for (std::size_t level = 1; level < depth && level_begin < cells.size(); ++level) {
        const std::size_t level_end = cells.size();
        for (std::size_t at = level_begin; at < level_end; ++at) {
            const std::vector<DerivationLine> lines = cells[at].derivation.lines;
            for (const DerivationLine& line : lines) {
                for_each_number(shortened(line).line.arithmetic, [&](const Leaf& leaf) {
                    if (leaf.from != Leaf::From::cell) {
                        return;
                    }
                    const auto [place, is_new] = places.try_emplace({leaf.tensor, leaf.index}, cells.size());
                    if (is_new) {
                        if (cells.size() == most_cells) {
                            throw Error(
                                "`depth` {}: would explain more than {} cells, the limit; use `depth` {}.",
                                depth, most_cells, level);
                        }
                        cells.push_back(
                            {leaf.tensor, leaf.index, derive(notebook, leaf.tensor, leaf.index), {}});
                    }
                    std::vector<std::size_t>& operands = cells[at].operands;
                    if (std::ranges::find(operands, place->second) == operands.end()) {
                        operands.push_back(place->second);
                    }
                });
            }
        }
        level_begin = level_end;
    }
    return cells;
}

}  // namespace attn
