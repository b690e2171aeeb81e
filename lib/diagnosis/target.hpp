// A pasted tensor, and the explanations found so far.
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "diagnosis/costs.hpp"
#include "diagnosis/diagnosis.hpp"
#include "diagnosis/pieces.hpp"
#include "diagnosis/readings.hpp"

namespace attn {

struct Target {
    // The exact one first, then the one of sums in another order, if the tensor may be a step.
    std::vector<Reading> readings;
    std::string label;         // name of a step, from the paste or --as; empty: any step
    std::size_t most_matches;  // more are not kept, because short tensors have thousands
    Diagnosis found{};
    bool shows_sums = readings.size() > 1 &&
                      std::ranges::any_of(printed().numbers, [this](const PrintedNumber& number) {
                          return number.value != 0.0 && tolerance(number) < readings[1].slack;
                      });

    const Pattern& pattern() const { return readings[0].pattern; }
    const PrintedTensor& printed() const { return pattern().printed(); }

    // Returns the reading of rounded sums, or null if too few digits are printed to show their rounding.
    const Reading* sums() const { return shows_sums ? &readings[1] : nullptr; }

    bool is_explained() const { return std::ranges::any_of(found.matches, &Match::is_convincing); }

    // Returns true if the numbers are a right step, even if few digits agree.
    bool may_be_right() const {
        return std::ranges::any_of(found.matches, [](const Match& match) { return match.mistakes.empty(); });
    }

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

// Returns one tensor of each printed shape, in order: a shape that fits one fits all of them.
inline std::vector<const Target*> one_of_each_shape(Targets targets) {
    std::set<std::pair<std::string, decltype(PrintedTensor::gaps)>> seen;
    std::vector<const Target*> all;
    std::ranges::copy_if(targets, std::back_inserter(all), [&](const Target* target) {
        return seen.emplace(target->printed().shown.text(), target->printed().gaps).second;
    });
    return all;
}

// Matches, and the tensors they explain.
using Matches = std::vector<std::pair<Target*, Match>>;

}  // namespace attn
