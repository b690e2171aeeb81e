// A run held against every printed table that its parameters make.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "printed/agreement.hpp"
#include "printed/references.hpp"
#include "stages/trace.hpp"
#include "words/words.hpp"

namespace attn {

struct Comparison {
    const Reference* reference;
    Agreement agreement;
};

// The tables of this stage's shown steps that fit its parameters.
std::vector<Comparison> compare_stage(const StageTrace& trace, std::span<const Reference> references);

// Every table of this stage's shown steps, each at the parameters it was printed with, whatever those of the
// run are.
std::vector<Comparison> compare_each(const StageTrace& shown, const Lesson& lesson,
                                     std::span<const Reference> references);

// One line per table, with the parameters that make it.
std::string comparison_text(std::span<const Comparison> comparisons, const Words& phrases);

// For which other parameters tables of this stage's shown steps are printed, one line each: `--seed 123
// --d-out 2: 004 attn_weights, …`.
std::string printed_elsewhere(const StageTrace& trace, std::span<const Reference> references);

}  // namespace attn
