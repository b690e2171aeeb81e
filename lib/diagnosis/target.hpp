// A pasted tensor, and the explanations found so far.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "diagnosis/bits.hpp"
#include "diagnosis/diagnosis.hpp"
#include "diagnosis/pieces.hpp"
#include "diagnosis/rounding.hpp"

namespace attn {

inline bool is_convincing(const Match& match) {
    return match.bits >= convincing;
}

struct Target {
    Pattern pattern;
    std::optional<Rounding> rounding;  // the tolerance for rounded sums in walks with mistakes; may be empty
    double surprise;                   // the bits that an explanation can save
    std::string label;                 // name of a step, from the paste or --as; empty: any step
    std::size_t most_matches;          // more are not kept, because short tensors have thousands
    Diagnosis found{};

    const PrintedTensor& printed() const { return pattern.printed(); }

    bool is_explained() const { return std::ranges::any_of(found.matches, is_convincing); }

    // Returns true if all numbers are NaN. They identify no mistake, because many mistakes produce NaN.
    bool is_nan() const {
        return std::ranges::all_of(printed().numbers,
                                   [](const PrintedNumber& number) { return std::isnan(number.value); });
    }

    // Adds a match. Keeps only the best match of one step with the same mistakes.
    void add(Match match) {
        const auto known = std::ranges::find_if(found.matches, [&](const Match& other) {
            return other.stage == match.stage && other.step == match.step && other.mistakes == match.mistakes;
        });
        if (known == found.matches.end() && found.matches.size() == most_matches) {
            const auto worst = std::ranges::min_element(found.matches, {}, &Match::bits);
            if (worst->bits < match.bits) {
                *worst = std::move(match);
            }
        } else if (known == found.matches.end()) {
            found.matches.push_back(std::move(match));
        } else if (known->bits < match.bits) {
            *known = std::move(match);
        }
    }
};

using Targets = std::span<Target* const>;

// Matches, and the tensors they explain.
using Matches = std::vector<std::pair<Target*, Match>>;

}  // namespace attn
