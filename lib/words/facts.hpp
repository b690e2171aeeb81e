// Facts and numbers of a run: facts choose the sentences of a note, and notes quote the numbers.
// data/README.md explains both.
#pragma once

#include <cstddef>
#include <map>
#include <string_view>

#include "stages/trace.hpp"

namespace attn {

// A run, one of its steps, and the part that the page switched off: "mask", "scaling" or "dropout", or empty.
struct Situation {
    const StageTrace& trace;
    std::size_t step = 0;
    std::string_view off = {};
};

std::map<std::string_view, bool> facts_of(const Situation& run);

// Returns the numbers of the run and the sizes of the step, by their names in notes, such as `√d_k`.
std::map<std::string_view, double> numbers_of(const Situation& run);

}  // namespace attn
