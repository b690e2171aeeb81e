// Mistakes that set a different seed.
#pragma once

#include <cstdint>
#include <vector>

#include "diagnosis/diagnosis.hpp"
#include "diagnosis/mistakes/mistakes.hpp"
#include "diagnosis/right_walks.hpp"

namespace attn {

// Seeds, and the description length of the mistake with one of them.
struct Seeds {
    std::vector<std::uint64_t> all;
    double bits;
};

// Returns the seeds of the stages, and others that people often take.
const Seeds& likely_seed();

// Returns the first thousand seeds; if the question asks for a search, all up to last_searched_seed.
Seeds seeds_to_try(const Question& question);

// Tries different seeds for the weights, or for the dropout masks, in one walk of a stage.
class OtherSeeds {
public:
    OtherSeeds(const RightWalk& right, std::uint64_t Parameters::*which, const Question& question);

    // Returns false if the seed changes no call.
    bool changes_anything() const { return !same_calls_ || !differs_.empty(); }
    // Returns the first call that the seed changes.
    std::size_t first() const { return first_; }
    // Returns this seed as a mistake. Its preview refers to this object, which must outlive it.
    Attempt attempt(std::uint64_t seed, double bits) const;

private:
    std::uint64_t Parameters::*which_;
    bool same_calls_;  // all seeds give the same calls, so calls can be edited instead of walking again
    std::size_t first_ = 0;
    std::vector<bool> differs_{};  // for each seeded call from first_ on: true if it uses the seed
};

}  // namespace attn
