// Nearest name by the restricted Damerau-Levenshtein distance.
#include "text/suggest.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "text/ascii.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

// Returns how many insertions, deletions, substitutions and swaps of neighbours turn a into b.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> above(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(before, above);
        std::swap(above, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, changed});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
    }
    return row[b.size()];
}

std::string_view without_dashes(std::string_view name) {
    return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

}  // namespace

Message did_you_mean(std::string_view mistyped, std::span<const std::string_view> candidates) {
    const std::string_view word = without_dashes(mistyped);
    constexpr std::size_t longest = 100;  // no name is longer than this, so the table stays small
    if (word.empty() || word.size() > longest) {
        return {};
    }
    std::size_t nearest = std::max<std::size_t>(1, word.size() / 3) + 1;
    Message suggestion;
    for (const std::string_view name : candidates) {
        const std::string_view candidate = without_dashes(name);
        if (name == mistyped && name.starts_with('-')) {
            continue;  // a known option that is not allowed here
        }
        constexpr std::size_t least = 4;  // many names begin with such a short word
        const bool is_begun = suggestion.empty() && std::min(mistyped.size(), name.size()) >= least &&
                              (name.starts_with(mistyped) || mistyped.starts_with(name));
        const std::size_t most = is_begun ? nearest - 1 : nearest;
        const std::size_t slips =
            candidate.size() > longest ? nearest : std::min(most, distance(word, candidate));
        const bool is_other_letter =
            word.size() == 1 && candidate.size() == 1 && lowered(word) != lowered(candidate);
        if (slips < nearest && !is_other_letter) {
            nearest = slips;
            suggestion = Message(" Did you mean {}?", in_quotes(name)).correcting(mistyped, name);
        }
    }
    return suggestion;
}

}  // namespace attn
