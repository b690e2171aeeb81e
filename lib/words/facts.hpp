// Facts of a run: by them a note chooses its sentences, and it quotes their numbers. data/README.md lists
// both.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "stages/trace.hpp"

namespace attn {

// A run, one step of it, and what a page switched off: "mask", "scaling", "dropout" or nothing.
struct Situation {
    const StageTrace& trace;
    std::size_t step = 0;
    std::string_view off = {};
};

std::map<std::string_view, bool> facts_of(const Situation& run);

// Parameters of the run and sizes of the step, by the names that notes give them: `√d_k`.
std::map<std::string_view, double> numbers_of(const Situation& run);

}  // namespace attn
