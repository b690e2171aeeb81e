// Edits that set a different seed.
#pragma once

#include <cstdint>
#include <vector>

#include "diagnosis/diagnosis.hpp"
#include "diagnosis/right_walks.hpp"
#include "mistakes/mistakes.hpp"

namespace attn {

// Seeds, and the description length of the mistake with one of them.
struct Seeds {
    std::vector<std::uint64_t> all;
    double bits;
};

// Returns the seeds of the stages, and others that people often take. The unlikely ones are the first
// thousand; if the question asks for a search, all up to last_searched_seed.
Seeds seeds_to_try(const Question& question, bool are_unlikely);

// Returns the edits of one walk of a stage that set another seed for the weights, or for the dropout masks.
std::vector<WalkEdit> seed_edits(const RightWalk& right, std::uint64_t Parameters::*which,
                                 const Question& question, const Seeds& seeds);

}  // namespace attn
