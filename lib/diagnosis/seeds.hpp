// Mistakes that set a different seed.
#pragma once

#include <cstdint>
#include <vector>

#include "diagnosis/diagnosis.hpp"
#include "diagnosis/mistakes/mistakes.hpp"
#include "diagnosis/right_walks.hpp"

namespace attn {

// Returns the seeds that people often use; if the question asks for a search, all up to last_searched_seed.
std::vector<std::uint64_t> seeds_to_try(const Question& question);

// Returns the cost, in bits, of choosing one among this many seeds.
double bits_of_seed(std::size_t seeds);

// Tries different seeds for the weights, or for the dropout masks, in one walk of a stage.
class OtherSeeds {
public:
    OtherSeeds(const RightWalk& right, std::uint64_t Parameters::*which, const Question& question);

    // Returns false if the seed changes no call.
    bool changes_anything() const { return !same_calls_ || !differs_.empty(); }
    // Returns the first call that the seed changes.
    std::size_t first() const { return first_; }
    // Returns this seed as a mistake. Its edit refers to this object, which must outlive it.
    Attempt attempt(std::uint64_t seed, double bits) const;

private:
    std::uint64_t Parameters::*which_;
    bool same_calls_;  // all seeds give the same calls, so calls can be edited instead of walking again
    std::size_t first_ = 0;
    std::vector<bool> differs_{};  // for each seeded call from first_ on: true if it uses the seed
};

}  // namespace attn
